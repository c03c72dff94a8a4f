import { createHash } from 'node:crypto';
import { HttpError } from '../errors.ts';
import type { Keyring } from '../identity/gate/keyring.ts';
import type { Log } from '../log.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import { Reply } from '../contract/reply.ts';
import type { Call } from '../contract/route-spec.ts';
import type { Reader, Store, Tx } from '../store/store.ts';
import type { Workers } from '../workers/workers.ts';
import type { Handler } from './compiled-route.ts';

/** The name of the request header, in lower case. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
const DAY_MS = 86_400_000;
/** Answers kept for one account; the oldest go first. */
const MAX_ANSWERS = 1000;
/** Expired answers removed in one transaction, which other writers wait for. */
const SWEPT_AT_ONCE = 500;
/**
 * How often a request that runs says so in a store that nodes share, and how long it counts without that: its node has died
 * then. Clocks of nodes may be a minute apart.
 */
const SIGN_MS = 20_000;
const SILENCE_MS = 120_000;
/** A string of RFC 9651, or the same text without its quotes, as many clients send it. */
const KEY = /^(?:"([ !#-[\]-~]{1,255})"|([!#-[\]-~]{1,255}))$/;

interface Place {
  readonly accountId: number;
  readonly route: string;
  readonly key: string;
}
interface Running {
  /** Hash of the request. */
  readonly request: string;
}
interface Answer extends Running {
  readonly status: number;
  readonly body: string;
}

/**
 * Lets a client repeat a request that makes something, without knowing whether the first one arrived (the header
 * Idempotency-Key of draft-ietf-httpapi-idempotency-key-header). Keeps successes only: after an error nothing was made, and
 * the same key may be tried again. A request that runs is known in memory and has a turn among the workers; where nodes share
 * the store, it also has a row, which becomes that of the answer.
 */
export class KeptAnswers {
  readonly #store: Store;
  readonly #keys: Keyring;
  readonly #workers: Workers;
  readonly #log: Log;
  /** The hash of each request that runs, by its place. */
  readonly #running = new Map<string, string>();

  constructor(parts: { readonly store: Store; readonly keys: Keyring; readonly workers: Workers; readonly log: Log }) {
    this.#store = parts.store;
    this.#keys = parts.keys;
    this.#workers = parts.workers;
    this.#log = parts.log;
  }

  /**
   * Returns a handler that does what a key stands for only once. Errors: 400 for a key that cannot be read, 409
   * `request_in_progress`, 422 `idempotency_key_reused`.
   */
  around({ plugin, name, status = 200, idempotencyKey }: RouteInfo, handle: Handler): Handler {
    if (idempotencyKey === undefined) return handle;
    return (call) => {
      const header = headerOf(call);
      if (header === '') return handle(call);
      if (idempotencyKey === 'refused')
        throw new HttpError(
          'invalid_request',
          'the reply holds a secret, of which no copy is kept: send no Idempotency-Key here',
        );
      const [, quoted, bare] = KEY.exec(header) ?? [];
      const key = quoted ?? bare;
      if (key === undefined)
        throw new HttpError('invalid_request', 'Idempotency-Key must be a string of 1 to 255 characters of ASCII');
      return this.#once({ accountId: call.account.id, route: `${plugin}.${name}`, key }, call, status, handle);
    };
  }

  async #once(place: Place, call: Call, status: number, handle: Handler): Promise<unknown> {
    const context = JSON.stringify([place.accountId, place.route, place.key]);
    const request = createHash('sha256')
      .update(JSON.stringify([call.params, call.query, call.body]))
      .digest('base64');
    const running = this.#running.get(context);
    if (running !== undefined) throw running === request ? inProgress() : reused();
    this.#running.set(context, request);
    let release: (() => void) | undefined;
    try {
      release = await this.#workers.tryTurn(`answer ${createHash('sha256').update(context).digest('base64')}`, 1);
      if (release === undefined) throw inProgress();
      const { isShared } = this.#store;
      const claim = isShared ? this.#seal({ request }, context) : undefined;
      const kept = await (claim === undefined
        ? this.#find(this.#store, place, context)
        : this.#claim(place, context, claim));
      if (kept !== undefined) return repeated(kept, request);
      const value = await (claim === undefined ? handle(call) : this.#claimed(place, claim, () => handle(call)));
      // The thing is made: a client that cannot be answered again still gets its answer.
      const answer = { request, status, body: JSON.stringify(value) };
      await this.#keep(place, this.#seal(answer, context)).catch((error: unknown) =>
        this.#log.warn({ route: place.route, err: error }, 'cannot keep the answer to a request'),
      );
      return value;
    } finally {
      release?.();
      this.#running.delete(context);
    }
  }

  #seal(kept: Running | Answer, context: string): string {
    return this.#keys.seal(JSON.stringify(kept), context);
  }

  /** Resolves with what the key stands for; `undefined` if it is new. */
  async #find(
    reader: Reader,
    { accountId, route, key }: Place,
    context: string,
  ): Promise<Running | Answer | undefined> {
    const now = Date.now();
    const row = await reader.get<{ answer: string; kept_at: number }>(
      'select answer, kept_at from kept_answers where account_id = ? and route = ? and key = ? and kept_at > ?',
      accountId,
      route,
      key,
      now - DAY_MS,
    );
    if (row === undefined) return undefined;
    const kept = JSON.parse(this.#keys.unseal(row.answer, context)) as Running | Answer;
    return 'status' in kept || row.kept_at > now - SILENCE_MS ? kept : undefined;
  }

  /** The same, but a new key is taken for a request of this node, before others can. */
  async #claim(place: Place, context: string, claim: string): Promise<Running | Answer | undefined> {
    try {
      return await this.#store.write(async (tx) => {
        const kept = await this.#find(tx, place, context);
        if (kept === undefined) await put(tx, place, claim);
        return kept;
      });
    } catch (error) {
      void this.#change('delete from kept_answers', place, claim); // it may have been taken all the same
      throw error;
    }
  }

  /** Runs a request whose key is taken, and gives the key back if it fails. */
  async #claimed(place: Place, claim: string, run: () => unknown): Promise<unknown> {
    const sign = () => void this.#change('update kept_answers set kept_at = ?', place, claim, Date.now());
    const signs = setInterval(sign, SIGN_MS).unref();
    try {
      return await run();
    } catch (error) {
      const givenBack = this.#change('delete from kept_answers', place, claim);
      // The client need not wait for a store that is out of reach.
      if (!(error instanceof HttpError && error.code === 'store_unavailable')) await givenBack;
      throw error;
    } finally {
      clearInterval(signs);
    }
  }

  /** Changes the row of a request that runs. Never rejects. */
  async #change(sql: string, { accountId, route, key }: Place, claim: string, ...values: number[]): Promise<void> {
    const where = 'where account_id = ? and route = ? and key = ? and answer = ?';
    await this.#store
      .write((tx) => tx.run(`${sql} ${where}`, ...values, accountId, route, key, claim))
      .catch((error: unknown) => this.#log.warn({ route, err: error }, 'cannot note a request in progress'));
  }

  async #keep(place: Place, answer: string): Promise<void> {
    await this.#store.write(async (tx) => {
      await tx.run(
        'delete from kept_answers where id in (select id from kept_answers where kept_at <= ? limit ?)',
        Date.now() - DAY_MS,
        SWEPT_AT_ONCE,
      );
      await tx.run(
        `delete from kept_answers where account_id = ? and id not in
          (select id from kept_answers where account_id = ? order by id desc limit ?)`,
        place.accountId,
        place.accountId,
        MAX_ANSWERS - 1,
      );
      await put(tx, place, answer);
    });
  }
}

async function put(tx: Tx, { accountId, route, key }: Place, answer: string): Promise<void> {
  await tx.run(
    `insert into kept_answers (account_id, route, key, answer, kept_at) values (?, ?, ?, ?, ?)
      on conflict (account_id, route, key) do update set answer = excluded.answer, kept_at = excluded.kept_at`,
    accountId,
    route,
    key,
    answer,
    Date.now(),
  );
}

/** Returns the answer to a request whose key is known. */
function repeated(kept: Running | Answer, request: string): Reply {
  if (kept.request !== request) throw reused();
  if (!('status' in kept)) throw inProgress();
  return new Reply(kept.body, { status: kept.status });
}

/** Returns the header of a route that takes or refuses it. */
function headerOf(call: { header(name: string): string }): string {
  return call.header(IDEMPOTENCY_KEY);
}

const inProgress = (): HttpError =>
  new HttpError('request_in_progress', 'the first request with this Idempotency-Key is not answered yet');
const reused = (): HttpError =>
  new HttpError('idempotency_key_reused', 'this Idempotency-Key came with another request before');
