/** Where this host meets the web server that serves the domains, over plain HTTP. */
export interface WebServerPart {
  readonly host: string;
  readonly port: number;
}
