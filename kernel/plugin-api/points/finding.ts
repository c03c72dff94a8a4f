/** What `hostkeep doctor` says of one thing that a plugin uses. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, with its version, or why not. */
  readonly detail: string;
  /** What to install or set, when not ok. */
  readonly remedy?: string;
}
