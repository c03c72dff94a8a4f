/** How requests to a site are checked. */
export interface SiteWaf {
  /** `report`: what a rule finds is only told. */
  readonly mode: (typeof MODES)[number];
  /** Rules that are left out, by their numbers. */
  readonly excludedIds: readonly number[];
  /** The same for all that have a tag. */
  readonly excludedTags: readonly string[];
}

export const MODES = ['off', 'report', 'on'] as const;
/** How many of each a site leaves out at most. */
export const MOST_EXCLUDED = 200;
/** The numbers of the Core Rule Set. */
export const RULE_IDS = { smallest: 911_000, largest: 999_999 };
export const TAG = /^[A-Za-z][A-Za-z0-9_./-]{0,63}$/;

/** Whether a rule sums up the others: without it nothing would be refused, as if the mode were `report`. */
export const sumsUp = (id: number): boolean => [949, 959, 980].includes(Math.trunc(id / 1000));
