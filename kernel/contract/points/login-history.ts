/** The service of the plugin `login`, for plugins that use it. */
export interface LoginHistory {
  /** Returns the last successful logins of an account, newest first; `at` is in milliseconds since 1970. */
  last(
    accountId: number,
    limit: number,
    offset?: number,
  ): Promise<readonly { readonly at: number; readonly ip: string }[]>;
}
