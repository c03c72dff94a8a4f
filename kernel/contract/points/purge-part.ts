/** What a plugin removed of a removed account. */
export interface PurgePart {
  /** What was to be removed, in the plural: `databases`. */
  readonly what: string;
  readonly removed: number;
  /** Why some are left. The account's name then stays reserved. */
  readonly problem?: string | undefined;
}
