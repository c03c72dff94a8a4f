import { createHash } from 'node:crypto';
import { Reply } from './reply.ts';

/** Bytes that a client may keep and ask about again: with an ETag of what they hold, and the 304 for who has them. */
export class EtagReply {
  readonly #etag: string;
  readonly #whole: Reply;
  readonly #unchanged: Reply;

  /** `headers` hold a Cache-Control, without which nothing would be kept. */
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

  /** 304 where the client has it, by the value of `If-None-Match` (RFC 9110 13.1.2, weak comparison). */
  answer(ifNoneMatch: string): Reply {
    return ifNoneMatch !== '' && matches(ifNoneMatch, this.#etag) ? this.#unchanged : this.#whole;
  }
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
