import { createHash, randomUUID, type Hash } from 'node:crypto';
import { link, mkdir, open, rm, stat, statfs, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail as refuse } from '../../errors.ts';
import { undefinedIfMissing } from '../files/if-missing.ts';
import type { JobAnswer } from '../jobs/job.ts';
import { AGAIN, resticFail as fail } from './errors.ts';
import { listObjects, objectPath, syncEntry } from './objects.ts';
import { OBJECT_BYTES, readQuestion, type ObjectName, type RepositoryQuestion } from './questions.ts';

export interface AccessOptions {
  /** Whether this run may add to the repository. */
  readonly mayAdd: boolean;
  /** Bytes that it may grow by, by the plan; Infinity without a limit. */
  readonly freeBytes: number;
  /** Bytes that stay free in the file system. */
  readonly reserveBytes: number;
}
export const READ_ONLY: AccessOptions = { mayAdd: false, freeBytes: 0, reserveBytes: 0 };
interface Upload extends ObjectName {
  readonly path: string;
  readonly file: FileHandle;
  readonly hash: Hash;
  written: number;
}

/** Uploads of a run at once; restic has five connections. */
const UPLOADS = 16;
/** Part of the repository of the service's own, in which what is incomplete lies. */
export const INCOMPLETE = 'incomplete';

/**
 * The rights of runs of restic, one after another, in processes of the account, in the account's repository: to read all of it, and to add to it.
 * Nothing that is there is ever changed or removed, and an object counts only if its content has the hash that it is called by.
 */
export class RepositoryAccess {
  readonly #folder: string;
  readonly #options: AccessOptions;
  readonly #uploads = new Map<number, Upload>();
  #next = 0;
  #addedBytes = 0;
  #snapshot: string | undefined;
  #isClosed = false;

  constructor(folder: string, options: AccessOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Bytes that all runs have added, with what is being uploaded. */
  get addedBytes(): number {
    return this.#addedBytes;
  }

  /** Has a run add a snapshot, which may be one only. Resolves with its id. Errors: those of `run`, 503 `backup_failed` if there is none. */
  async added(run: () => Promise<unknown>): Promise<string> {
    this.#snapshot = undefined;
    await run().finally(() => this.#discard());
    if (this.#snapshot === undefined) throw fail.backup_failed('restic made no snapshot', AGAIN);
    return this.#snapshot;
  }

  /** Errors: 400 `invalid_request`, 503 `backup_unreadable`, 507 `backups_full`, `no_space`. */
  readonly answer = async (asked: unknown, bytes: Buffer): Promise<JobAnswer> => {
    const question = readQuestion(asked);
    if (this.#isClosed) throw refuse.overloaded('the run has ended');
    switch (question.repository) {
      case 'list':
        return answered(await listObjects(this.#folder, question.kind));
      case 'stat':
        return answered((await stat(objectPath(this.#folder, question)).catch(undefinedIfMissing))?.size ?? null);
      case 'read':
        return { answer: null, bytes: await this.#read(question) };
      case 'begin':
        return answered(await this.#begin(question));
      case 'write':
        return answered(await this.#write(question.upload, bytes));
      case 'end':
        return answered(await this.#end(question.upload));
    }
  };

  /** Refuses what comes later, and removes what is incomplete. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#discard();
  }

  async #discard(): Promise<void> {
    for (const { file, path } of this.#uploads.values()) {
      await file.close();
      await rm(path, { force: true });
    }
    this.#uploads.clear();
  }

  async #read(question: RepositoryQuestion & { repository: 'read' }): Promise<Buffer> {
    const file = await open(objectPath(this.#folder, question)).catch(undefinedIfMissing);
    if (file === undefined) throw fail.backup_unreadable('the repository is being cleaned', AGAIN);
    try {
      const buffer = Buffer.allocUnsafe(question.length);
      const { bytesRead } = await file.read(buffer, 0, question.length, question.offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async #begin({ kind, name }: ObjectName): Promise<number> {
    const { mayAdd, reserveBytes } = this.#options;
    if (!mayAdd || kind === 'config' || kind === 'keys')
      throw refuse.invalid_request('this run adds nothing of the kind');
    if (this.#uploads.size >= UPLOADS) throw refuse.invalid_request(`a run uploads ${UPLOADS} objects at once`);
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < reserveBytes) throw fail.no_space('the server has too little room for backups');
    const path = join(this.#folder, INCOMPLETE, randomUUID());
    const file = await open(path, 'wx', 0o600);
    if (this.#isClosed) {
      await file.close();
      await rm(path, { force: true });
      throw refuse.overloaded('the run has ended');
    }
    const upload = this.#next++;
    this.#uploads.set(upload, { path, file, kind, name, hash: createHash('sha256'), written: 0 });
    return upload;
  }

  async #write(id: number, bytes: Buffer): Promise<null> {
    const upload = this.#uploadOf(id);
    const position = upload.written;
    upload.written += bytes.length;
    this.#addedBytes += bytes.length;
    if (this.#addedBytes > this.#options.freeBytes)
      throw fail.backups_full('the backups would take more room than the plan allows');
    if (upload.written > OBJECT_BYTES) throw refuse.invalid_request('an object is too large');
    upload.hash.update(bytes);
    await upload.file.write(bytes, 0, bytes.length, position);
    return null;
  }

  async #end(id: number): Promise<null> {
    const upload = this.#uploadOf(id);
    const { path, file, kind, hash, name } = upload;
    this.#uploads.delete(id);
    try {
      if (hash.digest('hex') !== name) throw refuse.invalid_request('the content is not what its name says');
      if (kind === 'snapshots' && this.#snapshot !== undefined)
        throw refuse.invalid_request('a run makes one snapshot');
      if (kind === 'snapshots') this.#snapshot = name;
      await file.sync();
      await this.#place(path, objectPath(this.#folder, upload));
    } finally {
      await file.close();
      await unlink(path);
    }
    return null;
  }

  /** Leaves what is there: it has the same name, and so the same content. */
  async #place(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncEntry(to);
  }

  #uploadOf(id: number): Upload {
    const upload = this.#uploads.get(id);
    if (upload === undefined) throw refuse.invalid_request('there is no such upload');
    return upload;
  }
}

const answered = (answer: unknown): JobAnswer => ({ answer, bytes: Buffer.alloc(0) });
