/** A website of an account. */
export interface SitePart {
  /** The address as shown to people, without scheme: `example.com` or `example.com/blog`. */
  readonly site: string;
  /** Kind of application, e.g. `wordpress`. */
  readonly type: string;
}
