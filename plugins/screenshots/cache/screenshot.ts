import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';
import { EtagReply } from '../../../kernel/plugin-api/etag-reply.ts';
import { HEIGHT, WIDTH } from '../schema.ts';

/** Clients revalidate after a minute, for the price of a 304; there cannot be a new screenshot before that. */
const CACHING = 'private, max-age=60';
/** Image work occupies threads that the store and file access need too: one task at a time leaves them three. */
const scaling = new Semaphore(1, 64);
const PIXEL_LIMIT = WIDTH * HEIGHT * 4;

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

  /** Returns a copy of this width, in pixels, and of the same proportions. Rejects with 503 `overloaded`. */
  async scaledTo(width: number): Promise<Screenshot> {
    const png = await scaling.run(async () => {
      const { default: sharp } = await import('sharp');
      sharp.concurrency(1);
      sharp.cache(false);
      return sharp(this.png, { limitInputPixels: PIXEL_LIMIT }).resize({ width }).png().toBuffer();
    });
    return new Screenshot(png, this.takenAt);
  }
}
