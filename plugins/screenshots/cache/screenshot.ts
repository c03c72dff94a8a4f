import { EtagReply } from '../../../kernel/plugin-api/etag-reply.ts';

/** Clients ask again after a minute, which costs a 304: no sooner can there be a new picture. */
const CACHING = 'private, max-age=60';

/** A picture ready to be sent, and sent again. */
export class Screenshot extends EtagReply {
  readonly png: Uint8Array;
  /** Milliseconds since 1970. */
  readonly takenAt: number;

  constructor(png: Uint8Array, takenAt: number) {
    super(png, {
      type: 'image/png',
      headers: { 'Cache-Control': CACHING, 'Last-Modified': new Date(takenAt).toUTCString() },
    });
    this.png = png;
    this.takenAt = takenAt;
  }
}
