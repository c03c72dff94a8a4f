import { randomUUID } from 'node:crypto';
import { isRunning, PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import type { Expected } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';

/** An upload, as the store has it. */
export interface StoredUpload {
  readonly id: string;
  readonly account_id: number;
  readonly path: string;
  readonly expected: Expected;
  readonly size_bytes: number;
  /** As the client sent it. */
  readonly metadata: string;
  /** `complete`: all has arrived, and the file may have its place or not; `done`: it has. */
  readonly state: 'open' | 'complete' | 'done';
  readonly writer: string;
  /** Where bytes begin that count only once their checksum is known to be right. */
  readonly unverified_from: number | null;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
}
type Row = Omit<StoredUpload, 'expected'> & { readonly expected: string };

const COLUMNS = 'id, account_id, path, expected, size_bytes, metadata, state, writer, unverified_from, expires_at';
/** How long a complete upload is known, for clients that did not get the last answer. */
const DONE_MS = 3_600_000;
/** Uploads that are removed in one round. */
const ROUND = 1000;

/** The uploads of this node's accounts. */
export class UploadStore {
  readonly #local: Store;
  readonly #limits: { readonly open: number; readonly keptMs: number };

  constructor(local: Store, limits: { readonly open: number; readonly keptMs: number }) {
    this.#local = local;
    this.#limits = limits;
  }

  /** Errors: 409 `uploads_full`. */
  async add(
    upload: Pick<StoredUpload, 'account_id' | 'path' | 'expected' | 'size_bytes' | 'metadata'>,
  ): Promise<StoredUpload> {
    const { open, keptMs } = this.#limits;
    const id = randomUUID();
    const now = Date.now();
    const { account_id: account, path, expected, size_bytes: size, metadata } = upload;
    await this.#local.write(async (tx) => {
      const counted = await tx.get<{ n: number }>(
        "select count(*) as n from uploads where account_id = ? and state <> 'done' and expires_at > ?",
        ...[account, now],
      );
      if ((counted?.n ?? 0) >= open) throw fail.uploads_full(`${open} uploads of this account are not complete`);
      await tx.run(
        `insert into uploads (id, account_id, path, expected, size_bytes, metadata, state, writer, created_at, expires_at)
          values (?, ?, ?, ?, ?, ?, 'open', '', ?, ?)`,
        ...[id, account, path, JSON.stringify(expected), size, metadata, now, now + keptMs],
      );
    });
    return { ...upload, id, state: 'open', writer: '', unverified_from: null, expires_at: now + keptMs };
  }

  /** Resolves with the uploads of an account that are not complete, the latest first. */
  async list(account: number): Promise<StoredUpload[]> {
    const rows = await this.#local.all<Row>(
      `select ${COLUMNS} from uploads where account_id = ? and state <> 'done' and expires_at > ?
        order by created_at desc, id limit ?`,
      ...[account, Date.now(), this.#limits.open],
    );
    return rows.map(toUpload);
  }

  /** Errors: 404 `upload_not_found`. */
  async get(account: number, id: string): Promise<StoredUpload> {
    return toUpload(await this.#read(this.#local, account, id));
  }

  /**
   * Lets one request write, until `unlock`; a process that has ended writes no more. Resolves with the upload as it then is.
   * Errors: 404 `upload_not_found`, 423 `upload_locked`.
   */
  async lock(account: number, id: string): Promise<StoredUpload> {
    const writer = `${PROCESS_ID} ${randomUUID()}`;
    return this.#local.write(async (tx) => {
      const row = await this.#read(tx, account, id);
      const [process = ''] = row.writer.split(' ');
      if (process !== '' && isRunning(process))
        throw fail.upload_locked('another request writes to this upload', { retryAfterSeconds: 1 });
      await tx.run('update uploads set writer = ? where id = ?', writer, id);
      return toUpload({ ...row, writer });
    });
  }

  async unlock({ id, writer }: StoredUpload): Promise<void> {
    await this.#run("update uploads set writer = '' where id = ? and writer = ?", id, writer);
  }

  /** Records where bytes begin that count only once their checksum is known to be right; `null` once it is. */
  async setUnverified({ id }: StoredUpload, from: number | null): Promise<void> {
    await this.#run('update uploads set unverified_from = ? where id = ?', from, id);
  }

  /** Keeps an upload that made progress. Resolves with until when, in milliseconds since 1970. */
  async keep({ id }: StoredUpload): Promise<number> {
    const until = Date.now() + this.#limits.keptMs;
    await this.#run('update uploads set expires_at = ? where id = ?', until, id);
    return until;
  }

  async setComplete({ id }: StoredUpload): Promise<void> {
    await this.#run("update uploads set state = 'complete' where id = ?", id);
  }

  /** Resolves with until when it is known, in milliseconds since 1970. */
  async setDone({ id }: StoredUpload): Promise<number> {
    const until = Date.now() + DONE_MS;
    await this.#run("update uploads set state = 'done', expires_at = ? where id = ?", until, id);
    return until;
  }

  async remove({ id }: Pick<StoredUpload, 'id'>): Promise<void> {
    await this.#run('delete from uploads where id = ?', id);
  }

  /** Resolves with uploads of all accounts that have expired and that nobody writes. */
  async expired(): Promise<StoredUpload[]> {
    const sql = `select ${COLUMNS} from uploads where expires_at <= ? order by expires_at limit ${ROUND}`;
    const rows = await this.#local.all<Row>(sql, Date.now());
    return rows.map(toUpload).filter(({ writer }) => !isRunning(writer.split(' ')[0] ?? ''));
  }

  async #read(reader: Reader, account: number, id: string): Promise<Row> {
    const row = await reader.get<Row>(
      `select ${COLUMNS} from uploads where id = ? and account_id = ? and expires_at > ?`,
      ...[id, account, Date.now()],
    );
    if (row === undefined) throw fail.upload_not_found('the account has no upload of this id, or it has expired');
    return row;
  }

  async #run(sql: string, ...values: readonly (string | number | null)[]): Promise<void> {
    await this.#local.write((tx) => tx.run(sql, ...values));
  }
}

const toUpload = ({ expected, ...row }: Row): StoredUpload => ({ ...row, expected: JSON.parse(expected) as Expected });
