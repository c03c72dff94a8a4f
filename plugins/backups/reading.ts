import { savedHeaders } from '../../kernel/kit/net/attachment.ts';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Host } from '../../kernel/contract/plugin.ts';
import { streamed, type Stream } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import type { JobAnswer } from '../../kernel/kit/jobs/job.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { Backups } from './backups.ts';
import { AGAIN, fail } from './errors.ts';
import { LIST, READ } from './jobs.ts';
import { READ_ONLY, RepositoryAccess } from '../../kernel/kit/restic/repository-access.ts';
import type { BackupEntry, BackupsConfig } from './schema.ts';
import { hasFiles } from './store.ts';

type Content = { readonly content: Readable; readonly sizeBytes: number };

const IDLE_MS = 5000;
/** Accounts that look into a backup, and accounts that download from one, at a time; each runs restic. */
const LISTING = 4;
const DOWNLOADING = 8;
const BUFFER_BYTES = 1 << 20;
/** How long a client may take nothing, while it keeps a process. */
const STALL_MS = 60_000;
const NOTHING: JobAnswer = { answer: null, bytes: Buffer.alloc(0) };
const tooLittle = () => fail.backup_unreadable('there is less than was announced', AGAIN);

/** Reads backups for clients who wait: these need no turn, and a repository that is being cleaned may break them off. */
export class Reading {
  readonly #host: Host<BackupsConfig>;
  readonly #backups: Backups;
  readonly #lists: JobPool;
  readonly #downloads: JobPool;

  constructor(host: Host<BackupsConfig>, backups: Backups) {
    const limits = { memoryMib: host.config.memory_mib };
    this.#host = host;
    this.#backups = backups;
    this.#lists = host.jobs.open({ name: 'backup lists', processes: LISTING, idleMs: IDLE_MS, limits });
    this.#downloads = host.jobs.open({ name: 'backup downloads', processes: DOWNLOADING, idleMs: IDLE_MS, limits });
  }

  /** Errors: 404 `backup_not_found`, `folder_not_found`, 503 `backup_unreadable`, `backups_unavailable`. */
  async entries(
    { account, signal }: { readonly account: Account; readonly signal: AbortSignal },
    id: string,
    components: readonly string[],
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ) {
    const path = clientPath(components, this.#host.node.config.virtual_root);
    const backup = await this.#backups.find(account, id);
    if (!hasFiles(backup) && components.length === 0) return { path, entries: [], total: 0, next_cursor: null };
    const { access, at } = await this.#open(account, id, components);
    const input = { ...at, offset, limit, most: this.#host.config.max_entries };
    const owner = this.#host.jobs.ownerOf(account, { opensNothing: true });
    const { entries, total } = await this.#lists.run(LIST, owner, input, { signal, onAsk: access.answer });
    const next = offset + limit < total ? String(offset + limit) : null;
    return { path, entries, total, next_cursor: next };
  }

  /** Resolves with a file. Errors: as `entries`, with 404 `file_not_found`. */
  async file(account: Account, id: string, components: readonly string[]): Promise<Stream> {
    await this.#backups.find(account, id, true);
    return attachment(components.at(-1) ?? '', await this.content(account, id, components));
  }

  /** Resolves with a file of a snapshot, which fails if nothing of it is read for `stallMs`. Errors: as `file`. */
  async content(account: Account, snapshot: string, path: readonly string[], signal?: AbortSignal, stallMs = STALL_MS) {
    const { access, at } = await this.#open(account, snapshot, path);
    const abort = new AbortController();
    const alive = AbortSignal.any([abort.signal, ...(signal === undefined ? [] : [signal])]);
    const content = new PassThrough({ highWaterMark: BUFFER_BYTES });
    content.on('close', () => abort.abort(new Error('nobody reads any more'))).on('error', () => undefined);
    const owner = this.#host.jobs.ownerOf(account, { opensNothing: true });
    return new Promise<Content>((resolve, reject) => {
      let left = -1;
      const onAsk = async (question: unknown, bytes: Buffer): Promise<JobAnswer> => {
        const { file, content: isContent } = (question ?? {}) as { file?: BackupEntry; content?: true };
        if (file !== undefined && left < 0) {
          left = Number(file.size_bytes);
          resolve({ content, sizeBytes: left });
          return NOTHING;
        }
        if (isContent !== true) return access.answer(question, bytes);
        left -= bytes.length;
        if (left < 0) throw fail.backup_unreadable('there is more than was announced', AGAIN);
        if (!content.write(bytes)) await withDeadline(once(content, 'drain', { signal: alive }), stallMs);
        return NOTHING;
      };
      this.#downloads.run(READ, owner, at, { signal: alive, onAsk }).then(
        () => (left === 0 ? content.end() : content.destroy(tooLittle())),
        (error: Error) => {
          content.destroy(error);
          reject(error);
        },
      );
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#lists.close(), this.#downloads.close()]);
  }

  async #open(account: Account, snapshot: string, components: readonly string[]) {
    await this.#backups.repositories.version();
    const { folder, key } = await this.#backups.repository(account);
    const setup = { program: this.#host.config.program, key };
    return { access: new RepositoryAccess(folder, READ_ONLY), at: { setup, snapshot, components } };
  }
}

/** As an attachment, in a sandbox, because a page of a customer must not run at our address. */
export const attachment = (name: string, { content, sizeBytes }: Content): Stream =>
  streamed('application/octet-stream', content, {
    sizeBytes,
    headers: { 'Cache-Control': 'private, no-store', ...savedHeaders(name) },
  });
