import { randomUUID } from 'node:crypto';
import { errorMessage } from '../errors.ts';
import { isRunning, PROCESS_ID } from '../kit/programs/process-id.ts';
import { LogThrottle, type Log } from '../log.ts';
import type { Reader, Store, Tx } from './store.ts';

/** How often the leases of a process are looked at; one is renewed after a quarter of its time. */
const LOOK_MS = 1000;
/** How long the row of a process that died stays after its time, unless another takes the name. */
const KEPT_MS = 86_400_000;

/** The right to do something until it is released or lost. Its process renews it; after a silence of its time, another may take it. */
export interface Lease {
  readonly name: string;
  /** The node, the process and the acquisition; no other lease has the same. */
  readonly holder: string;
  /** Whether no other can have it now, by this process's monotonic clock, with a third of its time to spare. */
  readonly isHeld: boolean;
  /** Aborted when another has it. */
  readonly signal: AbortSignal;
  /** Fences a change: resolves with whether the lease is still this one's, which then holds until `tx` commits. */
  isOurs(tx: Tx): Promise<boolean>;
  /** With `tx`, ends it when that commits; otherwise now, and without the store after its time. Rejects only with `tx`. */
  release(tx?: Tx): Promise<void>;
}

interface Held extends Lease {
  readonly ttlMs: number;
  readonly lost: AbortController;
  renewedMs: number;
}

/**
 * The leases of a process, each a row of the store. A row counts by the clock of the database, because those of nodes differ,
 * and one of a process of this node only as long as that runs.
 */
export class Leases {
  readonly #store: Store;
  readonly #here: string;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();
  readonly #lookMs: number;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  /** `here` is the name of this node in its fleet, without spaces; empty for a node by itself. */
  constructor(parts: { readonly store: Store; readonly here: string; readonly log: Log; readonly lookMs?: number }) {
    this.#store = parts.store;
    this.#here = parts.here;
    this.#log = parts.log;
    this.#lookMs = parts.lookMs ?? LOOK_MS;
  }

  /** Resolves with the lease, which begins when `tx` commits; `undefined` while it is held, in this process or elsewhere. */
  async acquire(name: string, ttlMs: number, tx?: Tx): Promise<Lease | undefined> {
    if (tx === undefined) return this.#store.write((own) => this.acquire(name, ttlMs, own));
    if ((await this.holder(tx, name)) !== undefined) return undefined;
    const lease = this.#leaseOf(name, ttlMs);
    await tx.run(
      `insert into leases (name, holder, ttl_ms, until) values (?, ?, ?, ${this.#store.nowMs} + cast(? as bigint))
        on conflict (name) do update set holder = excluded.holder, ttl_ms = excluded.ttl_ms, until = excluded.until`,
      ...[name, lease.holder, ttlMs, ttlMs],
    );
    tx.afterCommit(() => {
      this.#held.set(lease.holder, lease);
      this.#follow();
    });
    return lease;
  }

  /** Resolves with who has a lease; `undefined` if it is free. */
  async holder(reader: Reader, name: string): Promise<string | undefined> {
    const row = await reader.get<{ holder: string }>(
      `select holder from leases where name = ? and until > ${this.#store.nowMs}`,
      name,
    );
    const [node, process = ''] = row?.holder.split(' ') ?? [];
    return node === this.#here && !isRunning(process) ? undefined : row?.holder;
  }

  /** Renews nothing from now on. */
  async close(): Promise<void> {
    this.#held.clear();
    this.#follow();
    await this.#renewing;
  }

  #leaseOf(name: string, ttlMs: number): Held {
    const holder = `${this.#here} ${PROCESS_ID} ${randomUUID()}`;
    const lost = new AbortController();
    const held = this.#held;
    const isRecent = () => performance.now() - lease.renewedMs < (ttlMs * 2) / 3;
    const lease: Held = {
      ...{ name, holder, ttlMs, lost, renewedMs: performance.now(), signal: lost.signal },
      get isHeld() {
        return held.has(holder) && isRecent();
      },
      isOurs: async (tx) =>
        (await tx.get('select 1 as n from leases where name = ? and holder = ?', name, holder)) !== undefined,
      release: (tx) => this.#release(lease, tx),
    };
    return lease;
  }

  async #release({ name, holder }: Held, tx?: Tx): Promise<void> {
    const remove = (from: Tx) => from.run('delete from leases where name = ? and holder = ?', name, holder);
    const forget = () => {
      this.#held.delete(holder);
      this.#follow();
    };
    if (tx !== undefined) {
      tx.afterCommit(forget);
      await remove(tx);
    } else if (this.#held.has(holder)) {
      forget();
      await this.#store
        .write(remove)
        .catch((error: unknown) => this.#log.warn({ err: error }, `${name} is not released`));
    }
  }

  /** Runs the timer while there is something to renew. */
  #follow(): void {
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  #look(): void {
    const now = performance.now();
    const due = [...this.#held.values()].filter(({ renewedMs, ttlMs }) => now - renewedMs >= ttlMs / 4);
    if (due.length === 0) return;
    this.#renewing ??= this.#renew(due, now)
      .catch((error: unknown) => {
        if (this.#throttle.isDue('renew'))
          this.#log.warn({ err: error }, `leases are not renewed: ${errorMessage(error)}`);
      })
      .finally(() => (this.#renewing = undefined));
  }

  async #renew(due: readonly Held[], now: number): Promise<void> {
    const holders = JSON.stringify(due.map(({ holder }) => holder));
    const own = 'holder in (select value from json_each(?))';
    const kept = await this.#store.write(async (tx) => {
      await tx.run(`delete from leases where until < ${this.#store.nowMs} - ${KEPT_MS}`);
      await tx.run(`update leases set until = ${this.#store.nowMs} + ttl_ms where ${own}`, holders);
      return tx.all<{ holder: string }>(`select holder from leases where ${own}`, holders);
    });
    const ours = new Set(kept.map(({ holder }) => holder));
    for (const lease of due)
      if (ours.has(lease.holder)) lease.renewedMs = now;
      else if (this.#held.delete(lease.holder)) lease.lost.abort(new Error(`another has the lease ${lease.name}`));
    this.#follow();
  }
}
