/** A topic of messages between workers, and the type of their values. */
export interface Topic<T> {
  readonly name: string;
  /** Never set; it only carries the type. */
  readonly value?: T;
}

/** Returns the topic of a name. */
export const topic = <T>(name: string): Topic<T> => ({ name });

/** The number of a worker that exited, in order or not. */
export const WORKER_EXITED = topic<number>('worker.exited');
