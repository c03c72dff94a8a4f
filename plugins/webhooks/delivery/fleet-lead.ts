import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../kernel/errors.ts';
import { LogThrottle, type Log } from '../../../kernel/log.ts';
import type { Reader, Store } from '../../../kernel/store/store.ts';

/** How often the node that leads says so, and the others look. */
const BEAT_MS = 1000;
/** How long a node leads after its last beat: less than `GONE_MS`, so that two never do. */
const VALID_MS = 4000;
/** How long the others wait for a beat before one of them takes over. */
const GONE_MS = 6000;

interface Row {
  readonly holder: string;
  readonly beat: number;
}

/**
 * Decides which node of a fleet delivers. The one that does counts upwards in a row of the store; another takes over when it
 * has seen no other count for some seconds. Each measures by its own monotonic clock, because clocks of nodes differ.
 */
export class FleetLead {
  readonly #store: Store;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();
  readonly #holder: string;
  readonly #onLead: () => void;
  readonly #timer: NodeJS.Timeout;
  #beatMs = Number.NEGATIVE_INFINITY;
  #seen = '';
  #seenMs = 0;
  #trying: Promise<void> | undefined;

  /** `onLead` is called whenever this node begins to lead. */
  constructor(parts: { readonly store: Store; readonly node: string; readonly log: Log; readonly onLead: () => void }) {
    this.#store = parts.store;
    this.#log = parts.log;
    this.#holder = `${parts.node} ${randomUUID()}`;
    this.#onLead = parts.onLead;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#beat();
  }

  get isLeading(): boolean {
    return performance.now() - this.#beatMs < VALID_MS;
  }

  /** Lets another node lead at once. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#trying;
    this.#beatMs = Number.NEGATIVE_INFINITY;
    await this.#store.write((tx) => tx.run("update webhook_lead set holder = '' where holder = ?", this.#holder));
  }

  #beat(): void {
    this.#trying ??= this.#try()
      .catch((error: unknown) => {
        if (this.#throttle.isDue('beat'))
          this.#log.warn({ err: error }, `it is not known which node delivers webhooks: ${messageOf(error)}`);
      })
      .finally(() => (this.#trying = undefined));
  }

  async #try(): Promise<void> {
    const startedMs = performance.now();
    const row = await read(this.#store);
    if (!this.#mayLead(row, startedMs)) return;
    const isLead = await this.#store.write(async (tx) => {
      const now = await read(tx);
      if (now?.holder !== row?.holder || now?.beat !== row?.beat) return false;
      await tx.run('delete from webhook_lead');
      await tx.run('insert into webhook_lead values (?, ?)', this.#holder, (now?.beat ?? 0) + 1);
      return true;
    });
    if (!isLead) return;
    const wasLeading = this.isLeading;
    this.#beatMs = startedMs;
    if (!wasLeading && this.isLeading) this.#onLead(); // not after a write that took longer than a beat is valid
  }

  /** Whether nobody else leads, as far as this node has seen. */
  #mayLead(row: Row | undefined, startedMs: number): boolean {
    if (row === undefined || row.holder === '' || row.holder === this.#holder) return true;
    const seen = `${row.holder} ${row.beat}`;
    if (seen === this.#seen) return startedMs - this.#seenMs >= GONE_MS;
    this.#seen = seen;
    this.#seenMs = performance.now(); // not when this was asked: the store may have answered late, with a beat of just now
    return false;
  }
}

const read = (reader: Reader): Promise<Row | undefined> => reader.get<Row>('select holder, beat from webhook_lead');
