/** The service of this plugin for the plugins that need it. */
export interface HostingService {
  /** ns1 to ns4, without those that are not set. */
  readonly nameServers: readonly string[];
  /** Public IP address of the node. */
  ipAddress(): string;
}
