import { createHash } from 'node:crypto';
import { readFile, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, KeptBackups } from '../../kernel/areas/backups/account-backups.ts';
import { AccountTasks } from '../../kernel/areas/tasks/account-tasks.ts';
import { withBeat } from '../../kernel/areas/tasks/with-beat.ts';
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { AGAIN, fail } from './errors.ts';
import { Remote } from './remote.ts';
import type { BackupCopiesConfig, CopyTask } from './schema.ts';
import { forgetName, keepCopied, keepName, keepProblem, oldNames } from './store.ts';

/** Makes the repository of a copy the backups of an account; sealed, because it opens the repository. */
interface Manifest extends Pick<KeptBackups, 'key' | 'backups'> {
  readonly account: Pick<Account, 'id' | 'username'>;
  /** Of the repository. */
  readonly sizeBytes: number;
}

const SEALED_FOR = 'backup copies';
/** Other work on the backups or their copy, after which it is the turn of a copy again. */
const BUSY = new Set(['backups_busy', 'copies_busy']);
const LEASE_MS = 60_000;
const LINK_MS = 600_000;
const STALL_MS = 60_000;
/** That a repository leaves free on the disk that it comes to. */
const RESERVE_BYTES = 2 ** 30;
const DAY_MS = 24 * 3_600_000;

/** Copies of the backups of this node's accounts, at another place. */
export class Copies {
  readonly remote: Remote;
  readonly tasks: AccountTasks<CopyTask['kind']>;
  readonly #host: Host<BackupCopiesConfig>;
  readonly #backups: AccountBackups;

  constructor(host: Host<BackupCopiesConfig>, backups: AccountBackups) {
    this.#host = host;
    this.#backups = backups;
    this.remote = new Remote({ ...host.config, node: host.node.fleet?.name ?? '' });
    this.tasks = new AccountTasks(host, { table: 'backup_copy_tasks', errors: fail, stallMs: STALL_MS });
  }

  /**
   * Makes the copy of an account what its backups are now. Resolves with how many there are, 0 for none, which leaves the copy as it is.
   * Errors: 409 `copies_busy`, 503 `copies_unavailable`, those of `AccountBackups.withRepository`.
   */
  async copy(account: Account, signal: AbortSignal): Promise<number> {
    const { local } = this.#host;
    try {
      const copied = await this.#alone(account, () => this.#copy(account, signal));
      if (copied === undefined) return 0;
      const { name, backups } = copied;
      const newestAt = Math.max(...backups.map((each) => each.created_at));
      await local.write((tx) => keepCopied(tx, account.id, { name, newestAt, backups: backups.length }));
      const data = { backups: backups.length };
      const text = `copied ${data.backups} backups to another place`;
      await this.#tell({ type: 'backup.copied', account, text, ip: '', isNoticed: true, data });
      return backups.length;
    } catch (error) {
      if (error instanceof HttpError && BUSY.has(error.code)) throw error;
      const data = { reason: errorMessage(error) };
      const isNew = !signal.aborted && (await local.write((tx) => keepProblem(tx, account.id, data.reason)));
      const text = `could not copy the backups to another place: ${data.reason}`;
      if (isNew) await this.#tell({ type: 'backup.copy_failed', account, text, ip: '', isNoticed: true, data });
      throw error;
    }
  }

  /** Begins a copy that an operator asks for. Errors: 503 `overloaded`; of the task, those of `copy`, 422 `nothing_to_copy`. */
  begin(account: Account): Promise<CopyTask> {
    return this.#begin(account, { kind: 'copy', path: '' }, async (signal) => {
      const backups = await this.copy(account, signal);
      if (backups === 0) throw fail.nothing_to_copy('the account has no backups');
      return backups;
    });
  }

  /**
   * Begins to fetch the backups of an account. Errors: 404 `copy_not_found`, 409 `copy_of_other`, 503 `copies_unavailable`, `overloaded`; of
   * the task, those of `AccountBackups.adopt`.
   */
  async fetch(account: Account, name: string, { replaces, ip }: { replaces: boolean; ip: string }): Promise<CopyTask> {
    const manifest = await this.#manifest(name);
    const { id, username } = manifest.account;
    const isOther = id !== account.id && (await this.#host.identity.accounts.byId(id)) !== undefined;
    if (isOther) throw fail.copy_of_other(`it is that of ${username}, who has an account`);
    return this.#begin(account, { kind: 'fetch', path: name }, async (signal) => {
      const fill = async (folder: string) => {
        const { bavail, bsize } = await statfs(dirname(folder));
        if (bavail * bsize < manifest.sizeBytes + RESERVE_BYTES)
          throw fail.copies_unavailable('there is too little room for these backups', AGAIN);
        await this.remote.download(name, folder, manifest.sizeBytes, signal);
      };
      const fetching = () => this.#backups.adopt(account, manifest, { signal, replaces }, fill);
      const backups = await this.#alone(account, fetching);
      const text = `had ${backups} backups fetched from another place`;
      await this.#tell({ type: 'backup.fetched', account, text, ip, isNoticed: true, data: { backups } });
      return backups;
    });
  }

  /** Removes copies of accounts that are gone, and of repositories that are, some days after they were last made. */
  async clean(): Promise<void> {
    const { config, local } = this.#host;
    for (const name of await oldNames(local, Date.now() - config.removed_days * DAY_MS)) {
      await this.remote.remove(name);
      await local.write((tx) => forgetName(tx, name));
    }
  }

  close(): Promise<void> {
    return this.tasks.close();
  }

  /** The repository is not kept from others while it is sent: a picture of it is, by links, because no object ever changes. */
  async #copy(account: Account, signal: AbortSignal) {
    const picture = await this.#backups.withRepository(account, signal, async ({ folder, beside, ...kept }) => {
      await rm(beside, { recursive: true, force: true });
      const args = ['--archive', '--link', '--', folder, beside];
      const { code, stderr } = await runProgram('cp', args, { signal, timeoutMs: LINK_MS });
      if (code !== 0) throw new Error(`no picture of the repository: ${stderr}`);
      return { ...kept, folder: beside };
    });
    if (picture === undefined) return undefined;
    const { folder, key, backups } = picture;
    const { id, username } = account;
    try {
      const hash = createHash('sha256').update(await readFile(join(folder, 'config')));
      const name = `${username}.${id}.${hash.digest('hex').slice(0, 16)}`;
      const sizeBytes = await this.remote.sizeBytes(folder);
      const manifest: Manifest = { account: { id, username }, key, backups, sizeBytes };
      await this.#host.local.write((tx) => keepName(tx, name, Date.now()));
      await this.remote.upload(folder, name, signal);
      await this.remote.writeManifest(name, this.#host.identity.keys.seal(JSON.stringify(manifest), SEALED_FOR));
      return { name, backups };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Errors: 404 `copy_not_found`. */
  async #manifest(name: string): Promise<Manifest> {
    for (const sealed of await this.remote.readManifests(name))
      try {
        return JSON.parse(this.#host.identity.keys.unseal(sealed, SEALED_FOR)) as Manifest;
      } catch (err) {
        this.#host.log.warn({ err, name }, 'the manifest of a copy of backups cannot be opened');
      }
    throw fail.copy_not_found('there is none of this name that the keys of this installation open');
  }

  #begin(
    account: Account,
    about: { kind: CopyTask['kind']; path: string },
    work: (signal: AbortSignal) => Promise<number>,
  ) {
    return this.tasks.begin(account, about, async (run) => {
      const counted = { files: 0, bytes: 0, leftOut: 0 }; // rclone's own time limit watches whether it goes on
      return { ...counted, files: await withBeat(run, counted, () => work(run.signal)) };
    });
  }

  async #alone<T>({ id }: Account, work: () => Promise<T>): Promise<T> {
    const lease = await this.#host.node.leases.acquire(`backup copies ${id}`, LEASE_MS);
    if (lease === undefined) throw fail.copies_busy('other work on the copy has not ended', { retryAfterSeconds: 10 });
    return work().finally(() => lease.release());
  }

  #tell(event: Parameters<Host['events']['record']>[1]): Promise<void> {
    return this.#host.store.write((tx) => this.#host.events.record(tx, event));
  }
}
