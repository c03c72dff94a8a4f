/** Where logged requests of a site stand, in the combined format: parts of files, the oldest first. */
export interface LoggedRequests {
  readonly files: readonly { readonly path: string; readonly from: number; readonly to: number }[];
  /** Whether there are so many that only the newest are named. */
  readonly isTruncated: boolean;
}

/** The service of a plugin that keeps the logs of sites on this node. */
export interface RequestLogs {
  /** Resolves with the requests since a time, in milliseconds since 1970; of many with the newest, in as many bytes. */
  since(domainId: number, since: number, mostBytes: number): Promise<LoggedRequests>;
}
