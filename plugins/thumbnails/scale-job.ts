import type { FileHandle } from 'node:fs/promises';
import sharp from 'sharp';
import { isMissing } from '../../kernel/kit/files/files-root.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import { fileEtag } from '../../kernel/kit/files/unfinished/file-etag.ts';
import { WithBytes, type JobContext } from '../../kernel/kit/jobs/job.ts';
import { fail } from './errors.ts';

interface ScaleInput {
  readonly components: readonly string[];
  /** The header, with the ETags that the client has. */
  readonly ifNoneMatch: string;
}
interface Scaled {
  readonly etag: string;
  /** Whether the client has it, so that there are no bytes. */
  readonly isKnown: boolean;
}

/** The longer side of what is made, and the most that is read for it. */
const SIDE_PIXELS = 512;
const PIXELS = 50_000_000;
const FILE_MIB = 64;
const SECONDS = 10;
/** Kinds that browsers show and that are no documents: others would bring more code to customers' bytes. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);

/**
 * Makes a small picture, in WebP, of one of the account's. It runs as the account, without network and with little memory: its bytes
 * may be made to break the decoder. Errors: 403 `permission_denied`, 404 `file_not_found`, 422 `picture_unreadable`.
 */
export default async function scale(
  { components, ifNoneMatch }: ScaleInput,
  { root }: JobContext,
): Promise<WithBytes<Scaled>> {
  const file = await open(() => Folder.open(root, components.slice(0, -1)), components.at(-1) ?? '');
  try {
    const stats = await file.stat({ bigint: true });
    const etag = fileEtag(stats);
    if (ifNoneMatch.includes(etag)) return new WithBytes(Buffer.alloc(0), { etag, isKnown: true });
    if (stats.size > FILE_MIB << 20) throw fail.picture_unreadable(`the file is larger than ${FILE_MIB} MiB`);
    return new WithBytes(await scaled(await file.readFile()), { etag, isKnown: false });
  } finally {
    await file.close();
  }
}

async function open(openFolder: () => Promise<Folder>, name: string): Promise<FileHandle> {
  let folder: Folder | undefined;
  try {
    folder = await openFolder();
    return await folder.file(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM')
      throw fail.permission_denied('the file cannot be read', { cause: error });
    if (isMissing(error) || code === 'EINVAL') throw fail.file_not_found('there is no such file', { cause: error });
    throw error;
  } finally {
    await folder?.close();
  }
}

async function scaled(bytes: Uint8Array): Promise<Uint8Array> {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: READERS });
  try {
    return await sharp(bytes, { limitInputPixels: PIXELS, failOn: 'error' })
      .rotate() // as the camera was held
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp()
      .timeout({ seconds: SECONDS })
      .toBuffer();
  } catch (error) {
    throw fail.picture_unreadable('the file is damaged, too large, or no picture of a kind that is shown', {
      cause: error,
    });
  }
}
