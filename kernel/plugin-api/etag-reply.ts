import { createHash } from 'node:crypto';
import { Reply } from './reply.ts';

/** Bytes that a client may cache and revalidate, with an ETag derived from their content. */
export class EtagReply {
  readonly #etag: string;
  readonly #whole: Reply;
  readonly #unchanged: Reply;

  /** `headers` must hold a Cache-Control, because the default forbids caching. */
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

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
