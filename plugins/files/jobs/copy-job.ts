import { closeSync, constants, fchmodSync, openSync, writeSync } from 'node:fs';
import { readlink, symlink, type FileHandle } from 'node:fs/promises';
import { entryPath, Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { openFolderSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import { clearError, clearly } from '../../../kernel/kit/files/file-errors.ts';
import { Tally, type TallyLimits } from './tally.ts';
import { inWork, makeFolder } from './work.ts';

interface CopyInput {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly work: string;
  readonly limits: TallyLimits;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const PART_BYTES = 1 << 20;
/** Each level holds two descriptors. */
const MAX_DEPTH = 100;
const PERMISSIONS = 0o777;

/**
 * Copies a file or folder to a name that nothing has. A link is copied as a link, and what is no file, such as a pipe, is left
 * out. Errors: 404 `folder_not_found`, 422 `task_too_large`, and those of `inWork`.
 */
export default function copy({ from, to, work, limits }: CopyInput, { root, report }: JobContext) {
  const tally = new Tally(limits, report);
  return inWork(root, { work, to }, async (place) => {
    const opened = Folder.open(root, from.slice(0, -1));
    const source = await opened.catch((error: unknown) => Promise.reject(clearError(error, 'folder')));
    try {
      await new Copier(tally).copy({ folder: source, name: from.at(-1) ?? '' }, place, 0);
      return tally.counted;
    } finally {
      await source.close();
    }
  });
}

interface Source {
  readonly folder: Folder;
  readonly name: string | Buffer;
}
interface Target {
  readonly folder: number;
  readonly name: string | Buffer;
}

class Copier {
  readonly #tally: Tally;
  readonly #buffer = Buffer.allocUnsafe(PART_BYTES);

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  async copy(source: Source, target: Target, depth: number): Promise<void> {
    const { folder, name } = source;
    const stats = await folder.statEntry(name);
    if (stats.isDirectory()) return this.#copyFolder(source, target, depth, stats.mode);
    if (stats.isFile()) return this.#copyFile(source, target);
    if (!stats.isSymbolicLink()) return void (this.#tally.leftOut += 1);
    await this.#tally.addName();
    const path = entryPath(folder.handle.fd, name);
    await symlink(await readlink(path, 'buffer'), entryPath(target.folder, target.name));
  }

  async #copyFolder({ folder, name }: Source, target: Target, depth: number, mode: number): Promise<void> {
    if (depth === MAX_DEPTH) throw fail.task_too_large(`folders lie deeper than ${MAX_DEPTH} in each other`);
    await this.#tally.addName();
    const from = await folder.folder(name);
    try {
      clearly(() => makeFolder(target.folder, target.name), 'file');
      const to = openFolderSync(target.folder, target.name);
      try {
        for await (const entry of from.scan())
          await this.copy({ folder: from, name: entry.name }, { folder: to, name: entry.name }, depth + 1);
        fchmodSync(to, mode & PERMISSIONS);
      } finally {
        closeSync(to);
      }
    } finally {
      await from.close();
    }
  }

  async #copyFile({ folder, name }: Source, target: Target): Promise<void> {
    await this.#tally.addName();
    const from = await folder.file(name);
    try {
      const path = entryPath(target.folder, target.name);
      const to = clearly(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600), 'file');
      try {
        await this.#copyBytes(from, to);
        fchmodSync(to, (await from.stat()).mode & PERMISSIONS);
      } finally {
        closeSync(to);
      }
    } finally {
      await from.close();
    }
  }

  async #copyBytes(from: FileHandle, to: number): Promise<void> {
    for (;;) {
      const { bytesRead } = await from.read(this.#buffer, 0, PART_BYTES);
      if (bytesRead === 0) return;
      await this.#tally.addBytes(bytesRead);
      writeAll(to, this.#buffer.subarray(0, bytesRead));
    }
  }
}

/** Errors: 507 `no_space`. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;)
    written += clearly(() => writeSync(file, bytes, written, bytes.length - written), 'file');
}
