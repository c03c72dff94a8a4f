import { createHash } from 'node:crypto';
import { Reply } from './reply.ts';

/** Bytes that a client may ask for again by an ETag derived from their content. */
export class EtagReply {
  readonly #etag: string;
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
    this.#etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const all = { ETag: this.#etag, ...headers };
    this.#whole = new Reply(body, { type, headers: all });
    this.#unchanged = new Reply('', { type, status: 304, headers: all });
  }

  /**
   * Returns a 304 if the value of `If-None-Match` matches (RFC 9110, section 13.1.2, weak comparison), else the bytes.
   */
  answer(ifNoneMatch: string): Reply {
    return ifNoneMatch !== '' && matches(ifNoneMatch, this.#etag) ? this.#unchanged : this.#whole;
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

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
