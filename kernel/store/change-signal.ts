/** A change that the revision counts. */
export interface AccountChange {
  /** The revision since it. */
  readonly n: number;
  /** Whose it is; `null` for one of all accounts. */
  readonly accountId: number | null;
}

/** Callbacks of a process that follows changes. */
export interface ChangeFollower {
  /**
   * Another process may have changed the revision; `change` is how, where that is known. Changes come in their order, but some
   * may be missing, and this process's own are among them.
   */
  moved(change?: AccountChange): void;
  /** The revision was `n` at `atMs`, by `monotonicMs`. */
  confirmed(n: number, atMs: number): void;
  /** The database may be another one: a standby that took over, and may lack what was known of its primary. */
  replaced(): void;
}

/** The processes of a node: one leads, and what it says reaches the others in the order in which it was said. */
export interface NodeProcesses {
  readonly leadership: { readonly isLeader: boolean; onTakeOver(callback: () => void): void };
  readonly workers: {
    publish<T>(topic: { readonly name: string; readonly value?: T }, value: T): void;
    subscribe<T>(topic: { readonly name: string; readonly value?: T }, listener: (value: T) => void): () => void;
  };
}

/** How processes that share a store learn that what they remember of it may be out of date. */
export interface ChangeSignal {
  /** Calls back until `close`. Of the processes of a node, only the one that leads has the database tell it of changes. */
  follow(follower: ChangeFollower, node: NodeProcesses): Promise<void>;
  /** Whether another process may have changed the revision since the last call. Costs no more than a system call. */
  hasMoved(): boolean;
  /** Tells the other processes of a revision that is durable. */
  announce(revision: number): void;
  close(): Promise<void>;
}
