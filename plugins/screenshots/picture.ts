import { createHash } from 'node:crypto';
import { Reply } from '../../kernel/reply.ts';

/** Clients ask again after a minute, which costs a 304: no sooner can there be a new picture. */
const CACHING = 'private, max-age=60';

/** A picture ready to be sent, and sent again. */
export class Picture {
  readonly png: Uint8Array;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly #etag: string;
  readonly #whole: Reply;
  readonly #unchanged: Reply;

  constructor(png: Uint8Array, takenAt: number) {
    this.png = png;
    this.takenAt = takenAt;
    this.#etag = `"${createHash('sha256').update(png).digest('base64url').slice(0, 22)}"`;
    const headers = { ETag: this.#etag, 'Cache-Control': CACHING, 'Last-Modified': new Date(takenAt).toUTCString() };
    this.#whole = new Reply(png, { type: 'image/png', headers });
    this.#unchanged = new Reply('', { type: 'image/png', status: 304, headers });
  }

  /** 304 where the client has it, by the value of `If-None-Match` (RFC 9110 13.1.2, weak comparison). */
  answer(ifNoneMatch: string): Reply {
    return ifNoneMatch !== '' && matches(ifNoneMatch, this.#etag) ? this.#unchanged : this.#whole;
  }
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
