/** What the plugin hosting tells others of the node. */
export interface HostingService {
  /** ns1 to ns4, as many as are set. */
  readonly nameServers: readonly string[];
  /** Address of the node as customers know it. */
  ipAddress(): string;
}
