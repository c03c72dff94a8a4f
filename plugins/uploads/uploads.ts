import { createHash } from 'node:crypto';
import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { assertRoom, freeRoom } from '../../kernel/areas/files/free-room.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { clientPath, pathComponents } from '../../kernel/kit/files/client-path.ts';
import { bodyParts } from '../../kernel/kit/files/unfinished/body-parts.ts';
import type { Expected } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import { AccountTransfers } from '../../kernel/kit/waiting/account-transfers.ts';
import { fail } from './errors.ts';
import { UPLOAD } from './jobs.ts';
import type { UploadInput } from './jobs/upload-job.ts';
import type { Checksum } from './protocol.ts';
import type { Upload, UploadsConfig } from './schema.ts';
import { UploadStore, type StoredUpload } from './store.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;

interface NewUpload {
  readonly path: string;
  readonly expected: Expected;
  readonly sizeBytes: number;
  /** As the client sent it. */
  readonly metadata: string;
}
interface Part {
  readonly offset: number;
  readonly body: IncomingBody;
  readonly checksum: Checksum | undefined;
}

/**
 * Uploads of this node's accounts. A row says what an upload is to become, and the size of its file how much has arrived: both
 * outlive the process. Whatever step ends it, the next request goes on from there.
 */
export class Uploads {
  readonly #host: Host<UploadsConfig>;
  readonly #store: UploadStore;
  readonly #transfers: AccountTransfers;

  constructor(host: Host<UploadsConfig>) {
    const { open, kept_minutes: kept, transfers } = host.config;
    this.#host = host;
    this.#store = new UploadStore(host.local, { open, keptMs: kept * MINUTE_MS });
    this.#transfers = new AccountTransfers(transfers);
  }

  get maxBytes(): number {
    return this.#host.config.max_mib * MIB;
  }

  /**
   * Begins an upload; `first` is the beginning of the file. An empty file has its place at once. Errors: those of
   * `UnfinishedFiles` and `write`, 409 `uploads_full`, 413 `upload_too_large`.
   */
  async create(account: Account, { path, expected, sizeBytes, metadata }: NewUpload, first?: Part): Promise<Upload> {
    const { virtual_root: root } = this.#host.node.config;
    const components = pathComponents(path, root);
    if (sizeBytes > this.maxBytes) throw fail.upload_too_large(`an upload has at most ${this.maxBytes} bytes`);
    assertRoom({ bytes: sizeBytes, names: 1 }, await freeRoom(this.#host, account), fail.no_space);
    const about = { path: clientPath(components, root), expected, size_bytes: sizeBytes, metadata };
    const upload = await this.#store.add({ account_id: account.id, ...about });
    try {
      await this.#run(account, { step: 'begin', id: upload.id, components, expected });
      if (first !== undefined) return await this.write(account, upload.id, first);
      if (sizeBytes === 0) return await this.#locked(account, upload.id, (locked) => this.#end(account, locked));
      return toReply(upload, 0);
    } catch (error) {
      await this.#discard(account, upload); // its client was not told its id
      throw error;
    }
  }

  async list(account: Account): Promise<Upload[]> {
    const uploads = await this.#store.list(account.id);
    const sizes = await this.#sizes(account, uploads);
    return uploads.flatMap((upload, i) => {
      const size = sizes[i];
      return size == null ? [] : [toReply(upload, verified(upload, size))];
    });
  }

  /**
   * Resolves with an upload; one of which all has arrived gets its place, if a crash kept it from that. Errors: 404
   * `upload_not_found`, 423 `upload_locked`, and those of `UnfinishedFiles`.
   */
  async find(account: Account, id: string): Promise<{ readonly upload: Upload; readonly metadata: string }> {
    const stored = await this.#store.get(account.id, id);
    const { metadata, state, size_bytes: sizeBytes } = stored;
    const offset = state === 'open' ? verified(stored, await this.#size(account, stored)) : sizeBytes;
    if (offset < sizeBytes || state === 'done') return { upload: toReply(stored, offset), metadata };
    return { upload: await this.#locked(account, id, (locked) => this.#end(account, locked)), metadata };
  }

  /**
   * Writes what arrives, up to where the client disconnects. Errors: 404 `upload_not_found`, 409 `offset_mismatch`, 413
   * `upload_too_large`, 423 `upload_locked`, 460 `checksum_mismatch`, 503 `overloaded`, 507 `no_space`, and with the last byte
   * those of `UnfinishedFiles`.
   */
  async write(account: Account, id: string, part: Part): Promise<Upload> {
    const end = this.#transfers.begin(account.id);
    try {
      return await this.#locked(account, id, async (upload) => {
        const offset = await this.#settled(account, upload);
        if (part.offset !== offset) throw fail.offset_mismatch(`the upload goes on at ${offset}`);
        const reached = await this.#receive(account, upload, part);
        if (reached === upload.size_bytes) return this.#end(account, upload);
        return toReply(await this.#store.get(account.id, id), reached);
      });
    } finally {
      end();
    }
  }

  /** Errors: 404 `upload_not_found`, 423 `upload_locked`. */
  async remove(account: Account, id: string): Promise<void> {
    await this.#store.get(account.id, id);
    await this.#locked(account, id, (upload) => this.#discard(account, upload));
  }

  /** Removes what has expired. */
  async sweep(): Promise<void> {
    const { identity, log } = this.#host;
    for (const upload of await this.#store.expired()) {
      const account = await identity.accounts.byId(upload.account_id);
      if (account === undefined || !identity.accounts.isHere(account)) await this.#store.remove(upload);
      else
        await this.#discard(account, upload).catch((err: unknown) => {
          log.warn({ err, upload: upload.id }, 'an upload that has expired stays until the next round');
        });
    }
  }

  async #locked<T>(account: Account, id: string, work: (upload: StoredUpload) => Promise<T>): Promise<T> {
    const upload = await this.#store.lock(account.id, id);
    try {
      return await work(upload);
    } finally {
      await this.#store.unlock(upload);
    }
  }

  /** Takes back what nobody can verify any more. Resolves with where the upload goes on. */
  async #settled(account: Account, upload: StoredUpload): Promise<number> {
    if (upload.state !== 'open') return upload.size_bytes;
    const size = await this.#size(account, upload);
    const offset = verified(upload, size);
    if (offset < size) await this.#run(account, { step: 'truncate', id: upload.id, sizeBytes: offset });
    if (upload.unverified_from !== null) await this.#store.setUnverified(upload, null);
    return offset;
  }

  /** Resolves with where the upload then ends. */
  async #receive(account: Account, upload: StoredUpload, { offset, body, checksum }: Part): Promise<number> {
    const free = await freeRoom(this.#host, account);
    const hash = checksum && createHash(checksum.algorithm);
    const assertFits = (sizeBytes: number) => {
      if (offset + sizeBytes > upload.size_bytes)
        throw fail.upload_too_large(`the upload has ${upload.size_bytes} bytes, and goes on at ${offset}`);
      assertRoom({ bytes: sizeBytes }, free, fail.no_space);
    };
    assertFits(body.sizeBytes ?? 0);
    if (hash !== undefined) await this.#store.setUnverified(upload, offset);
    let reached = offset;
    try {
      for await (const bytes of bodyParts(body)) {
        assertFits(reached + bytes.length - offset);
        hash?.update(bytes);
        await this.#run(account, { step: 'append', id: upload.id, offset: reached }, bytes);
        reached += bytes.length;
      }
      if (checksum !== undefined && hash?.digest().equals(checksum.digest) !== true)
        throw fail.checksum_mismatch('the bytes that arrived have another checksum');
    } catch (error) {
      if (hash !== undefined) await this.#settled(account, { ...upload, unverified_from: offset });
      throw error;
    } finally {
      if (reached > offset) await this.#store.keep(upload);
    }
    if (hash !== undefined) await this.#store.setUnverified(upload, null);
    return reached;
  }

  /** Moves a file to its place. One that cannot have it, because of what is there, goes; one that can later stays. */
  async #end(account: Account, upload: StoredUpload): Promise<Upload> {
    const { id, expected, size_bytes: sizeBytes, path } = upload;
    if (upload.state === 'done') return toReply(upload, sizeBytes);
    const components = pathComponents(path, this.#host.node.config.virtual_root);
    await this.#store.setComplete(upload);
    try {
      await this.#run(account, { step: 'finish', id, components, expected, sizeBytes });
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      const hadItsPlace = error.code === 'file_not_found' && upload.state === 'complete'; // before a crash
      if (!hadItsPlace) {
        await this.#discard(account, upload);
        throw error;
      }
    }
    void this.#host.gather('uploaded', account, components);
    return toReply({ ...upload, expires_at: await this.#store.setDone(upload) }, sizeBytes);
  }

  async #discard(account: Account, upload: StoredUpload): Promise<void> {
    await this.#run(account, { step: 'discard', id: upload.id });
    await this.#store.remove(upload);
  }

  /** Errors: 404 `upload_not_found` if the file is gone. */
  async #size(account: Account, upload: StoredUpload): Promise<number> {
    const [size] = await this.#sizes(account, [upload]);
    if (size != null) return size;
    await this.#store.remove(upload);
    throw fail.upload_not_found('what had arrived of the file is gone: begin again');
  }

  async #sizes(account: Account, uploads: readonly StoredUpload[]): Promise<(number | null)[]> {
    if (uploads.length === 0) return [];
    return this.#run(account, { step: 'sizes', ids: uploads.map(({ id }) => id) });
  }

  #run(account: Account, input: UploadInput, bytes?: Uint8Array): Promise<(number | null)[]> {
    return this.#host.jobs.run(UPLOAD, account, input, { makesRoot: input.step === 'begin', ...(bytes && { bytes }) });
  }
}

const verified = ({ unverified_from: from }: StoredUpload, sizeBytes: number): number =>
  Math.min(sizeBytes, from ?? sizeBytes);

const toReply = ({ id, path, size_bytes: size, expires_at: expires }: StoredUpload, offset: number): Upload => ({
  ...{ id, path, size_bytes: size, offset_bytes: offset },
  expires_at: new Date(expires).toISOString(),
});
