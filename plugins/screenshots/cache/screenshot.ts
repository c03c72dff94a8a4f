import { EtagReply } from '../../../kernel/areas/etag-reply.ts';

/** Clients revalidate after a minute, for the price of a 304; there cannot be a new screenshot before that. */
const CACHING = 'private, max-age=60';

/** A screenshot as a reply that can be sent many times. */
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
