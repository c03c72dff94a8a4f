/** How much of one thing some accounts use now, as far as that is known without looking for it. */
export interface AccountsUsage {
  /** The resource, with its unit. */
  readonly resource: 'disk_kib' | 'inodes' | 'domains' | 'websites' | 'databases';
  /** By the account's id; accounts of which nothing is known yet are left out. */
  readonly used: ReadonlyMap<number, number>;
  /** When it was measured, by the account's id, in milliseconds since 1970; left out for what is counted now. */
  readonly at?: ReadonlyMap<number, number>;
}
