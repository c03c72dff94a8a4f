/**
 * Atomic file replacement: the content is written to a temporary file in the same folder, which is then renamed.
 * Readers, and the next start after a crash, find either the old or the new content, never a part of it.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, writevSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning, PROCESS_ID } from '../programs/process-id.ts';

interface ReplaceOptions {
  /** The permissions of the new file, e.g. 0o600. */
  readonly mode: number;
  /** Whether it has them whatever the umask. */
  readonly isExact?: boolean;
  /** Whether to flush the content to disk before the rename. */
  readonly flush?: boolean;
  /** The modification time; the present unless given. */
  readonly mtime?: Date;
}

type Content = string | Uint8Array;

/** Returns a name for a temporary file. It is hidden, so that patterns such as `include conf.d/*` skip it. */
export const temporaryBeside = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${PROCESS_ID}.${randomBytes(8).toString('hex')}.tmp`);

/** Creates or replaces a file. Rejects with the system's error, and leaves what was there. */
export async function replaceFile(
  path: string,
  content: Content,
  { mode, isExact, flush, mtime }: ReplaceOptions,
): Promise<void> {
  const beside = temporaryBeside(path);
  try {
    const file = await open(beside, 'wx', mode);
    try {
      if (isExact === true) await file.chmod(mode);
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

/** `replaceFile` without a promise, for worker threads and start-up; chunks are written one after another. */
export function replaceFileSync(
  path: string,
  content: Content | readonly Uint8Array[],
  options: Omit<ReplaceOptions, 'mtime' | 'isExact'>,
): void {
  withFileBeside(path, content, options, (beside) => renameSync(beside, path));
}

/** Creates a file atomically. Returns false, and changes nothing, if it exists. */
export function createFileSync(
  path: string,
  content: Content,
  options: Omit<ReplaceOptions, 'mtime' | 'isExact'>,
): boolean {
  try {
    withFileBeside(path, content, options, (beside) => linkSync(beside, path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes temporary files that killed processes left in a folder, of one file or of all. */
export function removeLeftovers(folder: string, file?: string): void {
  for (const name of readdirSync(folder)) {
    const [, owner] = /^\..+\.(\d+:\d+)\.[0-9a-f]+\.tmp$/.exec(name) ?? [];
    const isMeant = file === undefined || name.startsWith(`.${file}.`);
    if (owner !== undefined && isMeant && !isRunning(owner)) rmSync(join(folder, name), { force: true });
  }
}

function withFileBeside(
  path: string,
  content: Content | readonly Uint8Array[],
  { mode, flush }: Omit<ReplaceOptions, 'mtime' | 'isExact'>,
  put: (beside: string) => void,
): void {
  const beside = temporaryBeside(path);
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

/** Writes all bytes to an open file; a single write may be a short one. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.byteLength > 0;) rest = rest.subarray(writevSync(file, [rest]));
}
