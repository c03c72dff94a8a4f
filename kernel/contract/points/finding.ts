/** The result of one check of `hostkeep doctor`. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** Whether Hostkeep does all that it is configured for although this is not ok. */
  readonly isWarning?: boolean;
  /** Whether nothing was tried, so that this is no proof: what is ok then lacks nothing that is known. */
  readonly isUntried?: boolean;
  /** Says what was found, with its version, or why the check failed; in `health` without codes of the system. */
  readonly detail: string;
  /** Says what to install or configure if the check failed. */
  readonly remedy?: string;
  /** In `health`: the features that no account can use while this is not ok. */
  readonly features?: readonly string[];
}

/** Returns the finding of a problem, and none where there is none. The remedy is the log's unless given. */
export const problemFinding = (
  name: string,
  detail: string | null | undefined,
  remedy = 'see the log for the reason',
): Finding[] => (detail ? [{ name, ok: false, detail, remedy }] : []);

/** A finding, as operators get it. */
export interface Diagnosis extends Finding {
  /** `kernel` for what no plugin does. */
  readonly plugin: string;
  /** `warn`: Hostkeep does all that it is configured for, but something should be better; `untried`: nothing was tried. */
  readonly state: 'ok' | 'untried' | 'warn' | 'missing';
}
