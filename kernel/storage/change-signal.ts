/** How processes that share a store learn that what they remember of it may be out of date. */
export interface ChangeSignal {
  /** Calls back whenever another process may have changed the revision, until `close`. */
  follow(moved: () => void): Promise<void>;
  /** Whether another process may have changed the revision since the last call. Costs no more than a system call. */
  hasMoved(): boolean;
  /** Tells the other processes of a revision that is durable. */
  announce(revision: number): void;
  close(): Promise<void>;
}
