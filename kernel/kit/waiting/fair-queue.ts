import { performance } from 'node:perf_hooks';
import { fail } from '../../errors.ts';

export interface QueueOptions {
  /** The maximum number of running tasks. */
  readonly slots: number;
  /** The maximum number of running tasks of one client, so that none can take all slots; unlimited unless given. */
  readonly perClient?: number;
  /** The maximum number of waiting tasks of one client; beyond it, `run` rejects with 503 `overloaded`. */
  readonly waiting?: number;
  /** The maximum number of waiting tasks of all clients in a lane; unlimited unless given. */
  readonly waitingOfAll?: number;
  /** Slots that only reserved tasks may take; 0 unless given. */
  readonly reservedSlots?: number;
  /** The clock in milliseconds; tests set it. */
  readonly now?: () => number;
}

export interface TurnOptions {
  /** Takes the task out of the queue while it waits. */
  readonly signal?: AbortSignal;
  /** Puts the task into the lane that goes first and that tasks of the common lane cannot fill. */
  readonly isReserved?: boolean;
}

interface Client {
  readonly name: ClientName;
  running: number;
  /** Milliseconds of work, halved every `HALF_LIFE_MS`; as of `costAt`. */
  cost: number;
  costAt: number;
}
type Lane = 'reserved' | 'common';
interface Task {
  readonly client: Client;
  readonly lane: Lane;
  readonly since: number;
  readonly start: () => void;
}
/** An account's id, or another name of whom the work is for: a network, a host. */
type ClientName = string | number;

const HALF_LIFE_MS = 10_000;
/** Clients with less cost than this are forgotten. */
const NEGLIGIBLE_MS = 1;
/** From this number on, clients without work are forgotten whatever they cost. */
const MAX_CLIENTS = 10_000;

/**
 * Shares costly work fairly: the only queue of the product. Of the clients that wait, the one whose work took the least
 * time lately goes first, so that a client with many or expensive tasks delays another by one task at most. The time that
 * a task has waited is subtracted from the cost, so that no client waits for ever.
 */
export class FairQueue {
  readonly #options: QueueOptions;
  readonly #now: () => number;
  readonly #clients = new Map<ClientName, Client>();
  readonly #lanes = { reserved: new Map<Client, Task[]>(), common: new Map<Client, Task[]>() };
  readonly #waiting = { reserved: 0, common: 0 };
  readonly #running = { reserved: 0, common: 0 };

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get running(): number {
    return this.#running.reserved + this.#running.common;
  }

  get waiting(): number {
    return this.#waiting.reserved + this.#waiting.common;
  }

  /**
   * Runs the work once a slot is free. Rejects with the signal's reason if it is aborted before that. Errors:
   * 503 `overloaded`.
   */
  async run<T>(name: ClientName, work: () => Promise<T>, { signal, isReserved = false }: TurnOptions = {}): Promise<T> {
    signal?.throwIfAborted();
    const client = this.#client(name);
    const lane = isReserved ? 'reserved' : 'common';
    if (this.#mayStart(client, lane)) this.#enter(client, lane);
    else await this.#wait(client, lane, signal);
    const started = this.#now();
    try {
      return await work();
    } finally {
      this.#leave(client, lane, this.#now() - started);
    }
  }

  #wait(client: Client, lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    const { waiting = Infinity, waitingOfAll = Infinity } = this.#options;
    const tasks = this.#lanes[lane].get(client) ?? [];
    if (tasks.length >= waiting || this.#waiting[lane] >= waitingOfAll) {
      this.#forgetIdle(client);
      throw fail.overloaded('too many requests of this kind are waiting', { retryAfterSeconds: 5 });
    }
    this.#lanes[lane].set(client, tasks);
    this.#waiting[lane] += 1;
    return new Promise((resolve, reject) => {
      const remove = (task: Task) => {
        tasks.splice(tasks.indexOf(task), 1);
        this.#waiting[lane] -= 1;
        if (tasks.length === 0) this.#lanes[lane].delete(client);
      };
      const giveUp = () => {
        remove(task);
        this.#forgetIdle(client);
        reject(signal?.reason as Error);
      };
      const start = () => {
        signal?.removeEventListener('abort', giveUp);
        remove(task);
        resolve();
      };
      const task: Task = { client, lane, since: this.#now(), start };
      signal?.addEventListener('abort', giveUp, { once: true });
      tasks.push(task);
    });
  }

  #mayStart(client: Client, lane: Lane): boolean {
    const { slots, perClient = Infinity, reservedSlots = 0 } = this.#options;
    if (this.running >= slots || client.running >= perClient) return false;
    return lane === 'reserved' || this.#running.common < slots - reservedSlots;
  }

  #enter(client: Client, lane: Lane): void {
    this.#running[lane] += 1;
    client.running += 1;
  }

  /** Passes the slot to a waiting task in the same tick, so that no new task can overtake it. */
  #leave(client: Client, lane: Lane, ms: number): void {
    this.#running[lane] -= 1;
    client.running -= 1;
    client.cost = this.#costOf(client) + ms;
    client.costAt = this.#now();
    this.#forgetIdle(client);
    const next = this.#next('reserved') ?? this.#next('common');
    if (next === undefined) return;
    this.#enter(next.client, next.lane);
    next.start();
  }

  #next(lane: Lane): Task | undefined {
    let [best, bestScore]: [Task | undefined, number] = [undefined, Infinity];
    const now = this.#now();
    for (const [client, [task]] of this.#lanes[lane]) {
      if (task === undefined || !this.#mayStart(client, lane)) continue;
      const score = this.#costOf(client) - (now - task.since);
      if (score < bestScore) [best, bestScore] = [task, score];
    }
    return best;
  }

  #costOf({ cost, costAt }: Client): number {
    return cost * 2 ** ((costAt - this.#now()) / HALF_LIFE_MS);
  }

  #client(name: ClientName): Client {
    let client = this.#clients.get(name);
    if (client === undefined) {
      client = { name, running: 0, cost: 0, costAt: 0 };
      this.#clients.set(name, client);
      if (this.#clients.size > MAX_CLIENTS) for (const each of this.#clients.values()) this.#forgetIdle(each, Infinity);
    }
    return client;
  }

  #forgetIdle(client: Client, negligible = NEGLIGIBLE_MS): void {
    if (client.running > 0 || this.#lanes.common.has(client) || this.#lanes.reserved.has(client)) return;
    if (this.#costOf(client) < negligible) this.#clients.delete(client.name);
  }
}
