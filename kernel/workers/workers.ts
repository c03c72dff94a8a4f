import type { Release } from './semaphores.ts';
import type { Topic } from './topic.ts';

/** The answer of another worker; `problem` says why there is none. */
export type Answer<T = unknown> = { readonly worker: number } & ({ readonly value: T } | { readonly problem: string });

/** The processes that serve a node together. Messages of one arrive in order at the others. All values are plain JSON. */
export interface Workers {
  /** How many there are, this one included. */
  readonly count: number;
  /** Which one this is, from 1. */
  readonly number: number;
  /** Returns this worker's part of a number that the node may have, at least 1. */
  perWorker(number: number): number;
  /**
   * Waits until fewer than `most` holders have acquired the semaphore of a name, in all workers together, and acquires it. A
   * worker that dies releases what it holds.
   */
  acquire(name: string, most: number): Promise<Release>;
  /** Sends a value to all other workers, which may receive it a moment later. */
  publish<T>(topic: Topic<T>, value: T): void;
  /** Calls back with what others publish; returns a function that unsubscribes. */
  subscribe<T>(topic: Topic<T>, listener: (value: T) => void): () => void;
  /** Queries all other workers, within two seconds; resolves with one answer for each. */
  query<T>(topic: Topic<T>): Promise<Answer<T>[]>;
  /** Responds to queries of others; returns a function that ends this. */
  respond<T>(topic: Topic<T>, answer: () => T | Promise<T>): () => void;
}
