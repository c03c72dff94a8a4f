/**
 * Files that are replaced as a whole: written beside, under a name of this process, and renamed, so that a reader, and
 * the next start after a crash, finds the old content or the new, and never a part.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, writevSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning, PROCESS_ID } from './process-id.ts';

interface ReplaceOptions {
  /** Permissions of the new file, e.g. 0o600. */
  readonly mode: number;
  /** Waits until the content is on disk, before the name is. */
  readonly flush?: boolean;
  /** Modification time; the present one unless said. */
  readonly mtime?: Date;
}

type Content = string | Uint8Array;

/** Hidden, so that patterns such as `include conf.d/*` pass it over. */
const besideOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${PROCESS_ID}.${randomBytes(4).toString('hex')}.tmp`);

export async function replaceFile(
  path: string,
  content: Content,
  { mode, flush, mtime }: ReplaceOptions,
): Promise<void> {
  const beside = besideOf(path);
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.writeFile(content);
      if (mtime !== undefined) await file.utimes(new Date(), mtime);
      if (flush === true) await file.datasync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** The same without a promise, for threads and the start; several chunks are written one after the other. */
export function replaceFileSync(
  path: string,
  content: Content | readonly Uint8Array[],
  options: Omit<ReplaceOptions, 'mtime'>,
): void {
  withFileBeside(path, content, options, (beside) => renameSync(beside, path));
}

/** Creates a file that must not exist yet; returns false, and changes nothing, where it does. */
export function createFileSync(path: string, content: Content, options: Omit<ReplaceOptions, 'mtime'>): boolean {
  try {
    withFileBeside(path, content, options, (beside) => linkSync(beside, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes what processes that were killed left beside a file. */
export function removeLeftovers(path: string): void {
  const prefix = `.${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    const [, owner] = name.startsWith(prefix)
      ? (/^(\d+:\d+)\.[0-9a-f]+\.tmp$/.exec(name.slice(prefix.length)) ?? [])
      : [];
    if (owner !== undefined && !isRunning(owner)) rmSync(join(dirname(path), name), { force: true });
  }
}

function withFileBeside(
  path: string,
  content: Content | readonly Uint8Array[],
  { mode, flush }: Omit<ReplaceOptions, 'mtime'>,
  put: (beside: string) => void,
): void {
  const beside = besideOf(path);
  try {
    const file = openSync(beside, 'wx', mode);
    try {
      for (const chunk of [content].flat() as Content[])
        writeAll(file, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (flush === true) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    put(beside);
  } finally {
    rmSync(beside, { force: true });
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.byteLength > 0;) rest = rest.subarray(writevSync(file, [rest]));
}
