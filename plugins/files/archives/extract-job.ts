import { once } from 'node:events';
import { closeSync, constants, fchmodSync, fstatSync, futimesSync, mkdirSync, openSync, readSync } from 'node:fs';
import { Parser, type ReadEntry } from 'tar';
import { HttpError } from '../../../kernel/errors.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { openFolderSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { startPiped } from '../../../kernel/kit/programs/piped-program.ts';
import { writeAll } from '../jobs/copy-job.ts';
import { fail } from '../errors.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { inFolder } from '../../../kernel/kit/files/unfinished/place.ts';
import { UNNAMEABLE } from '../jobs/place.ts';
import { Tally, type TallyLimits } from '../jobs/tally.ts';
import { inWork } from '../jobs/work.ts';
import { ENV, formatFrom, MAGIC_BYTES, PROGRAMS } from './formats.ts';

interface ExtractInput {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly work: string;
  readonly limits: TallyLimits;
  /** How many times larger than the archive its content may be. */
  readonly ratio: number;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Content of this size is no bomb, however small its archive is. */
const HARMLESS_BYTES = 64 << 20;
const MAX_DEPTH = 64;
const FILES = new Set(['File', 'OldFile', 'ContiguousFile']);
const FOLDERS = new Set(['Directory', 'GNUDumpDir']);
const RUN = 0o111;
const NAME_BYTES = 255;

/**
 * Unpacks an archive into a new folder. A name that leads out of it, or that is there twice, refuses the whole archive; links,
 * pipes and names that no request could hold are left out. Errors: 404 `file_not_found`, `folder_not_found`, 409 `file_exists`,
 * 422 `archive_unreadable`, `archive_refused`, `task_too_large`, 507 `no_space`.
 */
export default async function extract({ from, to, work, limits, ratio }: ExtractInput, { root, report }: JobContext) {
  const archive = inFolder(root, from, ({ path }) => {
    return clearly(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), 'file');
  });
  try {
    const stats = fstatSync(archive);
    if (!stats.isFile()) throw fail.file_not_found('there is no such regular file');
    const bytes = Math.min(limits.bytes, Math.max(HARMLESS_BYTES, ratio * stats.size));
    const tally = new Tally({ ...limits, bytes }, report);
    return await inWork(root, { work, to }, async ({ folder, name, path }) => {
      clearly(() => mkdirSync(path, { mode: 0o755 }), 'folder');
      const target = openFolderSync(folder, name);
      try {
        await unpack(archive, new Unpacker(target, tally));
      } finally {
        closeSync(target);
      }
      return tally.counted;
    });
  } finally {
    closeSync(archive);
  }
}

async function unpack(archive: number, unpacker: Unpacker): Promise<void> {
  const start = Buffer.alloc(MAGIC_BYTES);
  readSync(archive, start, 0, MAGIC_BYTES, 0);
  const format = formatFrom(start);
  if (format === undefined) throw fail.archive_unreadable('this is no zip, tar.gz or tar.zst archive');
  const { program, unpack: args } = PROGRAMS[format];
  const decoder = startPiped(program, args, { stdin: archive, env: ENV });
  try {
    if (decoder.stdout === null) throw new Error('the program has no pipe');
    await parse(decoder.stdout, unpacker);
    await decoder.ended;
  } catch (error) {
    if (error instanceof HttpError && error.code !== 'files_unavailable') throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof HttpError) && code?.startsWith('TAR_') !== true) throw error;
    throw fail.archive_unreadable(message, { cause: error });
  } finally {
    decoder.stop();
  }
}

/** Hands entries to the unpacker one after another, and reads no more of the archive meanwhile. */
async function parse(tar: AsyncIterable<Buffer>, unpacker: Unpacker): Promise<void> {
  let work = Promise.resolve();
  let refuse: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (refuse = reject));
  failed.catch(() => undefined); // for those who wait
  const onReadEntry = (entry: ReadEntry) => {
    work = work.then(() => unpacker.take(entry));
    work.catch(refuse);
  };
  const parser = new Parser({ strict: true, brotli: false, zstd: false, onReadEntry }).on('error', refuse);
  for await (const part of tar) if (!parser.write(part)) await Promise.race([once(parser, 'drain'), failed]);
  const ended = once(parser, 'end');
  parser.end();
  await Promise.race([ended, failed]);
  await work;
}

class Unpacker {
  readonly #target: number;
  readonly #tally: Tally;

  constructor(target: number, tally: Tally) {
    this.#target = target;
    this.#tally = tally;
  }

  async take(entry: ReadEntry): Promise<void> {
    const components = partsOf(entry.path);
    const isFolder = FOLDERS.has(entry.type);
    if (components.length === 0 || !isNameable(entry.path, components) || !(isFolder || FILES.has(entry.type))) {
      if (components.length > 0) this.#tally.leftOut += 1;
      entry.resume();
      return;
    }
    if (isFolder) {
      closeSync(await this.#folder(components));
      entry.resume();
    } else await this.#file(components, entry);
  }

  /** Opens a folder below the target, and makes what is missing of it. */
  async #folder(components: readonly string[]): Promise<number> {
    let folder = openFolderSync(this.#target, '');
    for (const name of components) {
      const parent = folder;
      try {
        await this.#makeFolder(parent, name);
        folder = refusing(() => openFolderSync(parent, name), components);
      } finally {
        closeSync(parent);
      }
    }
    return folder;
  }

  async #makeFolder(parent: number, name: string): Promise<void> {
    try {
      mkdirSync(entryPath(parent, name), { mode: 0o755 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
      clearly(() => {
        throw error;
      }, 'folder');
    }
    await this.#tally.addName();
  }

  async #file(components: readonly string[], entry: ReadEntry): Promise<void> {
    await this.#tally.addName();
    const folder = await this.#folder(components.slice(0, -1));
    try {
      const path = entryPath(folder, components.at(-1) ?? '');
      const file = refusing(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644), components);
      try {
        for await (const part of entry as AsyncIterable<Buffer>) {
          await this.#tally.addBytes(part.length);
          writeAll(file, part);
        }
        if (((entry.mode ?? 0) & RUN) !== 0) fchmodSync(file, 0o755);
        if (entry.mtime !== undefined) futimesSync(file, entry.mtime, entry.mtime);
      } finally {
        closeSync(file);
      }
    } finally {
      closeSync(folder);
    }
  }
}

/** Whether a request can name an entry, and the system make it. */
const isNameable = (path: string, components: readonly string[]): boolean =>
  !UNNAMEABLE.test(path) && components.every((name) => Buffer.byteLength(name) <= NAME_BYTES);

/** Returns the components of a name in an archive; none for the folder itself. Errors: 422 `archive_refused`. */
function partsOf(path: string): string[] {
  const components = path.split('/').filter((name) => name !== '' && name !== '.');
  if (path.startsWith('/') || components.includes('..'))
    throw fail.archive_refused(`the archive has a name that leads out of its folder: ${path.slice(0, 200)}`);
  if (components.length > MAX_DEPTH) throw fail.archive_refused(`folders lie deeper than ${MAX_DEPTH} in each other`);
  return components;
}

/** Runs what opens an entry. Errors: 422 `archive_refused` if the archive has put something else there. */
function refusing<T>(open: () => T, components: readonly string[]): T {
  try {
    return clearly(open, 'folder');
  } catch (error) {
    if (!(error instanceof HttpError) || error.code === 'no_space') throw error;
    throw fail.archive_refused(`the archive has a name twice: ${components.join('/').slice(0, 200)}`);
  }
}
