import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedCoding, CODINGS, type Coding } from '../kit/net/content-coding.ts';
import { Reply } from '../contract/reply.ts';

/** Shorter bodies are sent as they are. */
const COMPRESSED_FROM_BYTES = 4096;
/** Bodies that this process compresses at a time, in threads of their own; others are sent as they are meanwhile. */
const COMPRESSED_AT_ONCE = 2;
/** Nearly as short as the best quality, in a hundredth of its time. */
const BROTLI_QUALITY = 5;
/** The request headers that `compressed` reads. */
export const COMPRESSED = ['if-none-match', 'accept-encoding'] as const;

const ENCODERS: Readonly<Record<Coding, (body: Uint8Array) => Promise<Uint8Array>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Uint8Array, Uint8Array>(gzip),
};
const brotli = promisify(brotliCompress);
let compressing = 0;

/** Bytes that a client may ask for again by an ETag derived from their content. */
export class EtagReply {
  readonly #tags: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #coded = new Map<Coding, Reply | Promise<Reply>>();
  readonly #whole: Reply;
  readonly #unchanged: Reply;

  /** JSON for programs that poll: they remember it themselves, because caches may not store what belongs to an account. */
  static json(value: unknown): EtagReply {
    return new EtagReply(Buffer.from(JSON.stringify(value)), {
      type: 'application/json',
      headers: { 'Cache-Control': 'no-store' },
    });
  }

  /** `headers` must hold a Cache-Control, which says whether caches may store it. */
  constructor(
    body: Uint8Array,
    {
      type,
      headers,
    }: {
      readonly type: string;
      readonly headers: Readonly<Record<string, string>> & { readonly 'Cache-Control': string };
    },
  ) {
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
    this.#tags = [`"${digest}"`, ...CODINGS.map((coding) => `"${digest}-${coding}"`)];
    this.#headers = headers;
    const all = { ETag: `"${digest}"`, ...headers };
    this.#whole = new Reply(body, { type, headers: all });
    this.#unchanged = new Reply('', { type, status: 304, headers: all });
  }

  /**
   * Returns a 304 if the value of `If-None-Match` matches (RFC 9110, section 13.1.2, weak comparison), else the bytes.
   */
  answer(ifNoneMatch: string): Reply {
    const known = ifNoneMatch === '' ? undefined : matched(ifNoneMatch, this.#tags);
    if (known === undefined) return this.#whole;
    if (known === this.#tags[0]) return this.#unchanged;
    return new Reply('', { type: this.#whole.type, status: 304, headers: { ETag: known, ...this.#headers } });
  }

  /**
   * Returns what `answer` does, in a coding that the client accepts: with a promise where it was not compressed before, which is
   * done once.
   */
  inCoding(ifNoneMatch: string, acceptEncoding: string): Reply | Promise<Reply> {
    const answer = this.answer(ifNoneMatch);
    const coding = answer === this.#whole ? acceptedCoding(acceptEncoding) : undefined;
    if (coding === undefined || this.#whole.body.length < COMPRESSED_FROM_BYTES) return answer;
    const coded = this.#coded.get(coding);
    if (coded !== undefined) return coded;
    if (compressing >= COMPRESSED_AT_ONCE) return answer;
    const made = this.#compress(coding);
    this.#coded.set(coding, made);
    return made;
  }

  /** Resolves with the bytes as they are if they cannot be compressed, such as for want of memory; the next time tries again. */
  async #compress(coding: Coding): Promise<Reply> {
    compressing += 1;
    try {
      const body = await ENCODERS[coding](this.#whole.body as Uint8Array);
      const [tag = ''] = this.#tags;
      const headers = {
        ETag: `${tag.slice(0, -1)}-${coding}"`,
        ...this.#headers,
        Vary: [this.#headers['Vary'], 'Accept-Encoding'].filter(Boolean).join(', '),
        'Content-Encoding': coding,
      };
      const reply = new Reply(body, { type: this.#whole.type, headers });
      this.#coded.set(coding, reply);
      return reply;
    } catch {
      // sent as it is
      this.#coded.delete(coding);
      return this.#whole;
    } finally {
      compressing -= 1;
    }
  }
}

/** Answers a call, or says that the client has it already; without a promise where the reply is ready. */
export function revalidated(
  reply: EtagReply | Promise<EtagReply>,
  call: { header(name: 'if-none-match'): string },
): Reply | Promise<Reply> {
  const etags = call.header('if-none-match');
  return reply instanceof Promise ? reply.then((made) => made.answer(etags)) : reply.answer(etags);
}

/**
 * Answers like `revalidated`, compressed. Not for what holds a secret beside something that another can choose, of which the
 * length would tell (BREACH). The route names the headers `COMPRESSED`.
 */
export function compressed(
  reply: EtagReply | Promise<EtagReply>,
  call: { header(name: (typeof COMPRESSED)[number]): string },
): Reply | Promise<Reply> {
  const [etags, codings] = [call.header('if-none-match'), call.header('accept-encoding')];
  return reply instanceof Promise
    ? reply.then((made) => made.inCoding(etags, codings))
    : reply.inCoding(etags, codings);
}

/** Returns the first of the tags that `If-None-Match` names (RFC 9110, section 13.1.2, weak comparison). */
export function matched(ifNoneMatch: string, tags: readonly string[]): string | undefined {
  if (ifNoneMatch === '*') return tags[0];
  const named = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.find((tag) => named.includes(tag));
}
