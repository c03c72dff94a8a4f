import type { Release } from './turns.ts';

/** The answer of another worker; `problem` says why there is none. */
export type Answer = { readonly worker: number } & ({ readonly value: unknown } | { readonly problem: string });

/**
 * The processes that serve a node together. What one says reaches the others in the order in which it was said. All values are
 * plain JSON.
 */
export interface Workers {
  /** How many there are, this one included. */
  readonly count: number;
  /** Which one this is, from 1. */
  readonly number: number;
  /** Returns this worker's part of a number that the node may have, at least 1. */
  share(number: number): number;
  /**
   * Waits until fewer than `most` turns of a name are held, in all workers together, and takes one until it is released.
   * Turns of a worker that dies are released.
   */
  turn(name: string, most: number): Promise<Release>;
  /** Says something to all other workers, which may hear it a moment later. */
  tell(topic: string, value: unknown): void;
  /** Calls back with what others say on a topic; returns a function that stops it. */
  hear(topic: string, listener: (value: unknown) => void): () => void;
  /** Asks all other workers, within two seconds; resolves with one answer for each. */
  ask(topic: string): Promise<Answer[]>;
  /** Answers what others ask; returns a function that stops it. */
  answer(topic: string, answer: () => unknown): () => void;
  /** Returns counts of what is open under a topic, in all workers together. */
  counts(topic: string): OpenCounts;
}

/** Counts of what is open, by key. What is opened in another worker counts here a moment later. */
export interface OpenCounts {
  readonly total: number;
  of(key: string): number;
  /** Counts one more, until it is released. */
  add(key: string): Release;
  close(): void;
}

/** Topic published when a worker exits, in order or not. */
export const WORKER_GONE = 'worker.gone';
