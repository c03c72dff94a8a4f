import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A pool with a master that begins processes as requests come. */
export interface WatchedPool {
  /** The path at which the master began to listen, by which the system knows its socket. */
  readonly bound: string;
  /** Where the socket is now. */
  readonly socket: string;
  /** The most processes for requests. */
  readonly most: number;
  /** Returns their number. */
  readonly processes: () => number;
}

const SOCKETS = '/proc/net/unix';
/** Connections that no process has taken: their state is 2, and they have no inode yet. */
const WAITING = /^\S+ \S+ \S+ \S+ \S+ 02 +0 (\/\S+)$/gm;
const LOOK_MS = 250;
/** How much longer it waits than it looked: nodes have thousands of sockets. */
const PAUSE = 20;
/** How long a master may take to begin a process. */
const BEGIN_MS = 20;

/**
 * Has masters of PHP-FPM begin processes for requests that wait. With `pm = ondemand`, a master looks for an idle process when a request
 * comes, and begins one if there is none. Of requests that come together, it finds the same process idle for each: one gets it, and the
 * others wait for this one, however long it takes, until the next request comes. So a connection is made, and closed.
 */
export class WaitingRequests {
  readonly #pools: () => readonly WatchedPool[];
  readonly #signal: AbortSignal;
  #before: ReadonlyMap<string, number> = new Map();
  #touched = new Map<string, number>();
  #isWatching = false;

  constructor(pools: () => readonly WatchedPool[], signal: AbortSignal) {
    this.#pools = pools;
    this.#signal = signal;
  }

  /** Watches until no pool is left. Does nothing if it does so already. Rejects if the system does not show its sockets. */
  async watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    try {
      for (let tookMs = 0; this.#pools().length > 0 && !this.#signal.aborted;) {
        await delay(Math.max(LOOK_MS, PAUSE * tookMs), undefined, { ref: false });
        const started = performance.now();
        await this.#look();
        tookMs = performance.now() - started;
      }
    } finally {
      this.#isWatching = false;
    }
  }

  /** Returns how many connections were made to a pool, which counts them as requests. */
  touched(bound: string): number {
    return this.#touched.get(bound) ?? 0;
  }

  async #look(): Promise<void> {
    const waiting = waitingIn(await readFile(SOCKETS, 'latin1'));
    const pools = this.#pools();
    this.#touched = new Map(pools.map(({ bound }) => [bound, this.touched(bound)]));
    for (const pool of pools) {
      // what has just come is taken in a moment, if somebody is free
      const requests = Math.min(waiting.get(pool.bound) ?? 0, this.#before.get(pool.bound) ?? 0);
      if (requests > 0) await this.#help(pool, requests);
    }
    this.#before = waiting;
  }

  async #help({ bound, socket, most, processes }: WatchedPool, requests: number): Promise<void> {
    for (let n = 0, now = processes(); n < requests && now > 0 && now < most; n += 1) {
      this.#touched.set(bound, this.touched(bound) + 1);
      await touch(socket);
      await delay(BEGIN_MS);
      if (processes() <= now) return; // it may not begin one, or is slow: it is looked at again
      now = processes();
    }
  }
}

/** Returns how many connections wait, by the path of their listener. */
export function waitingIn(sockets: string): Map<string, number> {
  const waiting = new Map<string, number>();
  for (const [, path = ''] of sockets.matchAll(WAITING)) waiting.set(path, (waiting.get(path) ?? 0) + 1);
  return waiting;
}

/** Connects, and closes. Never rejects: a master that has ended is not asked again. */
function touch(socket: string): Promise<void> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => connection.destroy());
    connection.once('error', () => resolve()).once('close', () => resolve());
  });
}
