import { setTimeout as delay } from 'node:timers/promises';
import { parseRetryAfter } from '../../../kernel/kit/net/retry-after.ts';
import { certificateRequest } from '../../../kernel/kit/net/x509.ts';
import { isObject } from '../../../kernel/schema.ts';
import { AcmeFailure, describeProblem, isBadNonce, refusal } from './acme-failure.ts';
import type { AcmeAnswer } from './acme-answer.ts';
import { exchange, type Authority } from './exchange.ts';
import type { AccountKey } from './signed-request.ts';

type Json = Readonly<Record<string, unknown>>;

/** An answer whose body is an object of JSON, or the text of one that is not. */
interface Told {
  readonly answer: AcmeAnswer;
  readonly json: Json;
}

/** How often a request is signed anew because its nonce was refused. */
const NONCES = 10;
/** Between two looks at an order, unless the authority names a time. */
const POLL = { firstMs: 200, longestMs: 10_000 };
const TOKEN = /^[A-Za-z0-9_-]{16,256}$/;

/** Orders certificates from an authority by RFC 8555. Names are proven by HTTP (8.3), which the web server answers. */
export class AcmeClient {
  readonly #authority: Authority;
  readonly #key: AccountKey;
  readonly #contact: string;
  #directory: Promise<Json> | undefined;
  #account: Promise<string> | undefined;
  readonly #nonces: string[] = [];

  constructor(authority: Authority, key: AccountKey, contact: string) {
    this.#authority = authority;
    this.#key = key;
    this.#contact = contact;
  }

  /** Resolves with the address of the account that orders, which is made if there is none. Rejects with an `AcmeFailure`. */
  account(signal: AbortSignal): Promise<string> {
    return (this.#account ??= this.#makeAccount(signal).catch((error: unknown) => {
      this.#account = undefined;
      throw error;
    }));
  }

  /** Resolves with the certificate of a key and those of its issuers; PEM. Rejects with an `AcmeFailure`, or when aborted. */
  async order(names: readonly string[], key: string, signal: AbortSignal): Promise<string> {
    const { answer, json: order } = await this.#newOrder(names, signal);
    const url = answer.header('location');
    for (const each of listIn(order, 'authorizations')) await this.#prove(String(each), names, signal);
    const ready = await this.#settled(url, ['ready', 'valid'], signal);
    const csr = (await certificateRequest(names, key)).toString('base64url');
    if (ready['status'] !== 'valid') await this.#post(String(ready['finalize']), { csr }, signal);
    const { certificate } = await this.#settled(url, ['valid'], signal);
    return (await this.#post(String(certificate), undefined, signal)).answer.body;
  }

  /** Makes the account again if the authority no longer knows it. */
  async #newOrder(names: readonly string[], signal: AbortSignal): Promise<Told> {
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    const post = async () => this.#post(await this.#url('newOrder', signal), { identifiers }, signal);
    try {
      return await post();
    } catch (error) {
      if (!(error instanceof AcmeFailure) || !error.isAccountGone) throw error;
      this.#account = undefined;
      return post();
    }
  }

  async #makeAccount(signal: AbortSignal): Promise<string> {
    const contact = this.#contact === '' ? [] : [`mailto:${this.#contact}`];
    const asked = { termsOfServiceAgreed: true, contact };
    const { answer } = await this.#send(await this.#url('newAccount', signal), asked, signal, undefined);
    return answer.header('location');
  }

  /** Has the authority fetch the proof for one name. */
  async #prove(url: string, names: readonly string[], signal: AbortSignal): Promise<void> {
    const { json: authorization } = await this.#post(url, undefined, signal);
    const { identifier, status } = authorization;
    if (!isObject(identifier) || !names.includes(String(identifier['value'])))
      throw new AcmeFailure('the authority asks for the proof of a name that was not ordered');
    if (status === 'valid') return;
    const challenge = listIn(authorization, 'challenges').find((each) => isObject(each) && each['type'] === 'http-01');
    if (!isObject(challenge) || !TOKEN.test(String(challenge['token'])))
      throw new AcmeFailure('the authority offers no proof by HTTP');
    await this.#post(String(challenge['url']), {}, signal);
    await this.#settled(url, ['valid'], signal);
  }

  /** Resolves with an order or an authorization once it has one of the states. */
  async #settled(url: string, states: readonly string[], signal: AbortSignal): Promise<Json> {
    for (let pauseMs = POLL.firstMs; ; pauseMs = Math.min(pauseMs * 2, POLL.longestMs)) {
      const { answer, json } = await this.#post(url, undefined, signal);
      const status = String(json['status']);
      if (states.includes(status)) return json;
      if (!['pending', 'processing', 'ready'].includes(status)) throw new AcmeFailure(describeEnd(json, status));
      const askedMs = Math.min(parseRetryAfter(answer.header('retry-after'), Date.now()), POLL.longestMs);
      await delay(askedMs || pauseMs, undefined, { signal });
    }
  }

  async #post(url: string, payload: object | undefined, signal: AbortSignal): Promise<Told> {
    return this.#send(url, payload, signal, await this.account(signal));
  }

  async #send(
    url: string,
    payload: object | undefined,
    signal: AbortSignal,
    account: string | undefined,
  ): Promise<Told> {
    for (let tries = 1; ; tries += 1) {
      const nonce = this.#nonces.pop() ?? (await this.#newNonce(signal));
      const body = this.#key.sign({ url, nonce, account, payload });
      const told = this.#told(await exchange(this.#authority, url, { body, signal }));
      if (told.answer.status < 300) return told;
      if (!isBadNonce(told.json) || tries === NONCES) throw refusal(told.answer, told.json, Date.now());
    }
  }

  async #newNonce(signal: AbortSignal): Promise<string> {
    const answer = await exchange(this.#authority, await this.#url('newNonce', signal), { signal });
    if (answer.status >= 300) throw refusal(answer, parseJson(answer), Date.now());
    const nonce = answer.header('replay-nonce');
    if (nonce === '') throw new AcmeFailure('the authority gives no nonce');
    return nonce;
  }

  /** Keeps the nonce of an answer for the next request. */
  #told(answer: AcmeAnswer): Told {
    const nonce = answer.header('replay-nonce');
    if (nonce !== '' && this.#nonces.length < NONCES) this.#nonces.push(nonce);
    return { answer, json: parseJson(answer) };
  }

  async #url(name: 'newNonce' | 'newAccount' | 'newOrder', signal: AbortSignal): Promise<string> {
    this.#directory ??= this.#readDirectory(signal).catch((error: unknown) => {
      this.#directory = undefined;
      throw error;
    });
    return String((await this.#directory)[name] ?? '');
  }

  async #readDirectory(signal: AbortSignal): Promise<Json> {
    const answer = await exchange(this.#authority, this.#authority.directory, { signal });
    if (answer.status !== 200) throw refusal(answer, parseJson(answer), Date.now());
    return parseJson(answer);
  }
}

function describeEnd(json: Json, status: string): string {
  const challenges = listIn(json, 'challenges').map((each) => (isObject(each) ? describeProblem(each['error']) : ''));
  return describeProblem(json['error']) || challenges.find(Boolean) || `the authority ends the order as ${status}`;
}

function listIn(json: Json, name: string): readonly unknown[] {
  const list = json[name];
  return Array.isArray(list) ? list.slice(0, 20) : [];
}

function parseJson({ body, header }: AcmeAnswer): Json {
  if (!/json/.test(header('content-type'))) return {};
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    // the caller says what it misses
    return {};
  }
}
