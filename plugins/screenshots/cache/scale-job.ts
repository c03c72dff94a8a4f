import sharp from 'sharp';
import { WithBytes, type JobContext } from '../../../kernel/kit/jobs/job.ts';
import { HEIGHT, WIDTH } from '../schema.ts';

/** Returns a PNG in this width, in pixels, and in the same proportions. */
export default async function scale({ width }: { readonly width: number }, { bytes }: JobContext): Promise<WithBytes> {
  sharp.concurrency(1);
  sharp.cache(false);
  const image = sharp(bytes, { limitInputPixels: WIDTH * HEIGHT * 4 });
  return new WithBytes(await image.resize({ width }).png().toBuffer(), null);
}
