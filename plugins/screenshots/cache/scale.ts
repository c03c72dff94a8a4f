import { retryLater } from '../../../kernel/errors.ts';

/** Image work takes threads that the store and the files need too: one at a time leaves them three. */
const AT_ONCE = 1;
const WAITING = 64;

let running = 0;
const queue: (() => void)[] = [];

/** A PNG scaled to a width, in pixels, its proportions kept. Errors: 503 `overloaded`. */
export async function scale(png: Uint8Array, width: number): Promise<Uint8Array> {
  if (queue.length >= WAITING) throw retryLater('overloaded', 'too many pictures are being scaled', 2);
  if (running >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
  else running += 1;
  try {
    const { default: sharp } = await import('sharp');
    sharp.concurrency(1);
    sharp.cache(false);
    return await sharp(png, { limitInputPixels: 1280 * 800 * 4 })
      .resize({ width })
      .png()
      .toBuffer();
  } finally {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
