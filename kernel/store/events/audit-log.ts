import { escapeControl } from '../../log.ts';
import { formatTime } from '../../kit/format.ts';
import type { Store, Tx } from '../store.ts';
import { EventSearch, KEPT } from './event-search.ts';
import type { LoggedEvent, Occurrence } from './event-types.ts';

/** An event to record in the log. */
export type EventInput = Occurrence & Circumstances;

interface Circumstances {
  /** The account whose activity log shows the event; an event without one belongs to the server. */
  readonly account?: { readonly id: number; readonly username: string };
  /** The user name to show if there is no account. */
  readonly username?: string;
  /** The user's action in the past tense, e.g. `added the domain example.com`. */
  readonly text: string;
  /** The client's IP address; empty for the command line. */
  readonly ip: string;
  /** Whether nobody did it: the server has noticed it by itself. */
  readonly isNoticed?: boolean;
  /** Milliseconds since 1970; the present unless given. */
  readonly at?: number;
}

/** `isOwn`: whether this process recorded it. */
type Listener = (event: LoggedEvent, isOwn: boolean) => void;

/** Old events that one transaction removes. */
const REMOVED_AT_ONCE = 1000;
/** One event in this many also removes the oldest events of its account. */
const TRIM_EVERY = 256;

/**
 * The log of all events. Each event is written in the same transaction as the change that it describes, so that neither
 * exists without the other.
 */
export class AuditLog extends EventSearch {
  readonly #store: Store;
  readonly #here: string;
  readonly #listeners = new Set<Listener>();

  /** `here` is the name of this node in its fleet; empty for a node by itself. */
  constructor(store: Store, here: string) {
    super(store);
    this.#store = store;
    this.#here = here;
  }

  /** Records an event in the transaction of its change; listeners are called after the commit. */
  async record(tx: Tx, input: EventInput): Promise<void> {
    const { type, ip, account, at = Date.now() } = input;
    const username = account?.username ?? input.username ?? '';
    const actor = username === '' ? 'The operator' : `User '${username}'`;
    const origin = ip === '' ? 'the command line' : `IP ${ip}`;
    const told = input.isNoticed === true ? `The server ${input.text}` : `${actor} ${input.text} from ${origin}`;
    const line = escapeControl(`[${formatTime(at)}] ${told}`);
    const accountId = account?.id ?? null;
    const data = { ...input.data };
    // The subselect yields NULL if the account was removed in the meantime.
    const id = await tx.insert(
      'insert into events (at, type, account_id, username, ip, line, node, folded, data) values (?, ?, (select id from accounts where id = ?), ?, ?, ?, ?, ?, ?)',
      at,
      type,
      accountId,
      username,
      ip,
      line,
      this.#here,
      line.toLowerCase(),
      JSON.stringify(data),
    );
    if (account !== undefined && id % TRIM_EVERY === 0) await this.#trim(tx, account.id);
    const event: LoggedEvent = { id, at, type, account_id: accountId, username, ip, line, data, node: this.#here };
    tx.afterCommit(() => {
      for (const listener of this.#listeners) listener(event, true);
    });
  }

  /**
   * Calls the listener after each commit of this process, and soon after those of other workers; returns a function that
   * stops it. Events of further processes, such as the command line, are only in `after`.
   */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Passes on what another worker recorded. */
  heard(event: LoggedEvent): void {
    for (const listener of this.#listeners) listener(event, false);
  }

  /**
   * Removes events from before a time, in milliseconds since 1970; resolves with their number. Begins with the oldest and ends
   * at a thousand newer ones in a row, in transactions that no other writer waits for long.
   */
  async removeBefore(time: number, isClosed = (): boolean => false): Promise<number> {
    let removed = 0;
    for (let after = 0; !isClosed();) {
      const next = await this.#store.all<{ id: number; at: number }>(
        'select id, at from events where id > ? order by id limit ?',
        after,
        REMOVED_AT_ONCE,
      );
      const last = next.at(-1)?.id ?? after;
      if (next.every(({ at }) => at >= time)) break;
      const range = [after, last, time];
      removed += await this.#store.write(
        async (tx) => (await tx.run('delete from events where id > ? and id <= ? and at < ?', ...range)).changes,
      );
      after = last;
    }
    return removed;
  }

  async #trim(tx: Tx, accountId: number): Promise<void> {
    await tx.run(
      `delete from events where account_id = ?
        and (at, id) <= (select at, id from events where account_id = ? order by at desc, id desc limit 1 offset ?)`,
      accountId,
      accountId,
      KEPT,
    );
  }
}
