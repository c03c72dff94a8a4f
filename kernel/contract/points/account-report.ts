/** A plugin's part of the report about an account, for operators. */
export interface AccountReport {
  /** Names of its domains. */
  readonly domains?: readonly string[];
  readonly usage?: readonly ResourceUsage[];
}

export interface ResourceUsage {
  /** The resource, with its unit: `disk_kib`. */
  readonly resource: string;
  readonly used: number;
  /** 0 = unlimited. */
  readonly limit: number;
  /** Whether the account has more than it may: more domains than its plan allows now, or no disk space left. */
  readonly isOver: boolean;
}

/** Returns the usage of something that is counted, such as domains, of which an account may have as many as its plan says. */
export function counted(resource: string, used: number, limit = 0): ResourceUsage {
  return { resource, used, limit, isOver: limit > 0 && used > limit };
}

/** How much of one thing some accounts use now, as far as that is known without looking for it. */
export interface AccountsUsage {
  /** The resource, with its unit. */
  readonly resource: 'disk_kib' | 'inodes' | 'domains' | 'websites' | 'databases';
  /** By the account's id; accounts of which nothing is known yet are left out. */
  readonly used: ReadonlyMap<number, number>;
  /** When it was measured, by the account's id, in milliseconds since 1970; left out for what is counted now. */
  readonly at?: ReadonlyMap<number, number>;
}
