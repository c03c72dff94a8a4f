/** The address at which this host reaches the web server of its domains over plain HTTP. */
export interface WebServerPart {
  readonly host: string;
  readonly port: number;
}
