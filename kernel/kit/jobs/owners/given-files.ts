/** The part of an account's folder whose files it is given. */
export interface GivingRequest {
  readonly components: readonly string[];
  /** At most so many are given. */
  readonly names: number;
}

/** The outcome for files in an account's folder that are not its own. */
export interface GivenFiles {
  /** Files and folders that root owned, and the account owns now. */
  readonly given: number;
  /** Entries of others, with a second name, or of another kind. */
  readonly leftOut: number;
  /** Why no owner was looked at. */
  readonly problem?: string;
}

/** How a caller follows and ends work that takes a while. */
export interface Followed {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: unknown) => void;
}
