/** A plugin's part of a purge. */
export interface PurgePart {
  /** The kind of things to be removed, in the plural: `databases`. */
  readonly what: string;
  readonly removed: number;
  /** Why some are left. The account's name then stays reserved. */
  readonly problem?: string | undefined;
}
