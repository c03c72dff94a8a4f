import { createHash } from 'node:crypto';
import { fail, HttpError } from '../errors.ts';
import type { Keyring } from '../identity/gate/keyring.ts';
import type { Log } from '../log.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import { Reply } from '../contract/reply.ts';
import type { Call } from '../contract/route-spec.ts';
import type { Lease, Leases } from '../store/lease.ts';
import type { Reader, Store, Tx } from '../store/store.ts';
import type { Handler } from './compiled-route.ts';

/** The name of the request header, in lower case. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
const DAY_MS = 86_400_000;
/** Answers kept for one account; the oldest go first. */
const MAX_ANSWERS = 1000;
/** Expired answers removed in one transaction, which other writers wait for. */
const SWEPT_AT_ONCE = 500;
/** How long the key of a request stays taken when nothing is heard of its process. */
const SILENCE_MS = 60_000;
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
 * Lets a client repeat a request that makes something (Idempotency-Key of draft-ietf-httpapi-idempotency-key-header). Keeps
 * successes only: after an error nothing was made. A request that runs has a lease, and a row that becomes that of the answer.
 */
export class Idempotency {
  readonly #parts: { readonly store: Store; readonly leases: Leases; readonly keys: Keyring; readonly log: Log };

  constructor(parts: { readonly store: Store; readonly leases: Leases; readonly keys: Keyring; readonly log: Log }) {
    this.#parts = parts;
  }

  /**
   * Returns a handler that does what a key stands for only once. Errors: 400 for a key that cannot be read, 409
   * `request_in_progress`, 422 `idempotency_key_reused`.
   */
  around({ plugin, name, status = 200, idempotencyKey }: RouteInfo, handle: Handler): Handler {
    if (idempotencyKey === undefined) return handle;
    return (call) => {
      const header = (call as { header(name: string): string }).header(IDEMPOTENCY_KEY);
      if (header === '') return handle(call);
      if (idempotencyKey === 'refused')
        throw fail.invalid_request('the reply holds a secret, of which no copy is kept: send no Idempotency-Key here');
      const [, quoted, bare] = KEY.exec(header) ?? [];
      const key = quoted ?? bare;
      if (key === undefined)
        throw fail.invalid_request('Idempotency-Key must be a string of 1 to 255 characters of ASCII');
      return this.#once({ accountId: call.account.id, route: `${plugin}.${name}`, key }, call, status, handle);
    };
  }

  async #once(place: Place, call: Call, status: number, handle: Handler): Promise<unknown> {
    const context = JSON.stringify([place.accountId, place.route, place.key]);
    const request = digestOf(JSON.stringify([call.params, call.query, call.body]));
    const { kept, lease } = await this.#begin(place, request, context);
    if (lease === undefined) return repeated(kept, request);
    try {
      const value = await handle(call);
      // The thing is made: a client that cannot be answered again still gets its answer.
      const answer = this.#seal({ request, status, body: JSON.stringify(value) }, context);
      await this.#end(place, lease, (tx) => keep(tx, place, answer));
      return value;
    } catch (error) {
      const ended = this.#end(place, lease, (tx) => forget(tx, place));
      // The client need not wait for a store that is out of reach.
      if (!(error instanceof HttpError && error.code === 'store_unavailable')) await ended;
      throw error;
    }
  }

  #seal(kept: Running | Answer, context: string): string {
    return this.#parts.keys.seal(JSON.stringify(kept), context);
  }

  /** Takes a key that is new; resolves without a lease, but with what the key stands for, if it is not. */
  #begin(
    place: Place,
    request: string,
    context: string,
  ): Promise<{ readonly kept: Running | Answer; readonly lease?: Lease }> {
    return this.#parts.store.write(async (tx) => {
      const kept = (await this.#find(tx, place, context)) ?? { request };
      if ('status' in kept) return { kept };
      const lease = await this.#parts.leases.acquire(`request ${digestOf(context)}`, SILENCE_MS, tx);
      if (lease === undefined) return { kept };
      await put(tx, place, this.#seal({ request }, context));
      return { kept, lease };
    });
  }

  async #find(
    reader: Reader,
    { accountId, route, key }: Place,
    context: string,
  ): Promise<Running | Answer | undefined> {
    const row = await reader.get<{ answer: string }>(
      'select answer from kept_answers where account_id = ? and route = ? and key = ? and kept_at > ?',
      accountId,
      route,
      key,
      Date.now() - DAY_MS,
    );
    return row && (JSON.parse(this.#parts.keys.unseal(row.answer, context)) as Running | Answer);
  }

  /** Changes the row of a request that has run, unless another process took its key. Never rejects. */
  async #end({ route }: Place, lease: Lease, change: (tx: Tx) => Promise<unknown>): Promise<void> {
    try {
      await this.#parts.store.write(async (tx) => {
        if (!(await lease.isOurs(tx))) return;
        await change(tx);
        await lease.release(tx);
      });
    } catch (error) {
      this.#parts.log.warn({ route, err: error }, 'cannot keep the answer to a request');
    } finally {
      void lease.release();
    }
  }
}

async function keep(tx: Tx, place: Place, answer: string): Promise<void> {
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
}

const forget = (tx: Tx, { accountId, route, key }: Place) =>
  tx.run('delete from kept_answers where account_id = ? and route = ? and key = ?', accountId, route, key);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

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
  if (kept.request !== request)
    throw fail.idempotency_key_reused('this Idempotency-Key came with another request before');
  if (!('status' in kept))
    throw fail.request_in_progress('the first request with this Idempotency-Key is not answered yet');
  return new Reply(kept.body, { status: kept.status, headers: { 'Idempotency-Replayed': 'true' } });
}
