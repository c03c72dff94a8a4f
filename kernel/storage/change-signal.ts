/** A change that the revision counts. */
export interface AccountChange {
  /** The revision since it. */
  readonly n: number;
  /** Whose it is; `null` for one of all accounts. */
  readonly accountId: number | null;
}

export interface ChangeFollower {
  /**
   * Another process may have changed the revision; `change` is how, where that is known. Changes come in their order, but some
   * may be missing, and this process's own are among them.
   */
  moved(change?: AccountChange): void;
  /** The database may be another one: a standby that took over, and may lack what was known of its primary. */
  replaced(): void;
}

/** How processes that share a store learn that what they remember of it may be out of date. */
export interface ChangeSignal {
  /** Calls back until `close`. */
  follow(follower: ChangeFollower): Promise<void>;
  /** Whether another process may have changed the revision since the last call. Costs no more than a system call. */
  hasMoved(): boolean;
  /** Tells the other processes of a revision that is durable. */
  announce(revision: number): void;
  close(): Promise<void>;
}
