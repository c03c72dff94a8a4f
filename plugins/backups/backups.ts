import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import { AccountTasks, type Counted, type TaskRun } from '../../kernel/areas/tasks/account-tasks.ts';
import { isDatabase } from '../../kernel/contract/points/backup-source.ts';
import { freeRoom } from '../../kernel/areas/files/free-room.ts';
import { runInRepository } from '../../kernel/areas/backups/repository-run.ts';
import { HttpError, publicReason } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import type { Repository } from '../../kernel/kit/restic/service-restic.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { addSnapshots } from './contents/making.ts';
import { AGAIN, fail } from './errors.ts';
import { tell } from './events.ts';
import { RESTORE } from './jobs.ts';
import { Repositories } from './repository/repositories.ts';
import { Retention } from './repository/retention.ts';
import { RepositoryAccess } from '../../kernel/kit/restic/repository-access.ts';
import { findRetry, lastDue, type When } from './schedule.ts';
import type { BackupsConfig, BackupTask } from './schema.ts';
import { addBackup, adoptRows, hasFiles, listBackups, listKept, madeAt, type BackupRow } from './store.ts';

const MIB = 2 ** 20;
const IDLE_MS = 5000;
/** A path to restore, and where to; `null` for its own place. */
interface Place {
  readonly components: readonly string[];
  readonly to: readonly string[] | null;
}

const FILE_MIB = 16_384;
/** How long after its death a process still keeps others from the repository. */
const LEASE_MS = 60_000;
const QUIET = new Set(['nothing_to_back_up', 'task_interrupted', 'account_not_found', 'other_node']);
/** How long a purge waits for the end of what runs. */
const PURGE_MS = 20_000;
const POLL_MS = 250;

/** Long work on the backups of this node's accounts: one of an account at a time has its repository for itself. */
export class Backups {
  readonly tasks: AccountTasks<BackupTask['kind']>;
  readonly repositories: Repositories;
  readonly retention: Retention;
  readonly #host: Host<BackupsConfig>;
  readonly #pool: JobPool;
  readonly #queue: FairQueue;

  constructor(host: Host<BackupsConfig>) {
    const { parallel, stall_seconds: stall, memory_mib: memoryMib } = host.config;
    this.#host = host;
    this.repositories = new Repositories(host);
    this.retention = new Retention(host, this.repositories);
    this.tasks = new AccountTasks(host, { table: 'backup_tasks', errors: fail, stallMs: stall * 1000 });
    this.#queue = new FairQueue({ slots: parallel, perClient: 1 });
    this.#pool = host.jobs.open({
      ...{ name: 'backups', processes: parallel, idleMs: IDLE_MS },
      limits: { memoryMib, fileMib: FILE_MIB },
    });
  }

  /**
   * Begins a backup, by the schedule if nobody's `ip` is given. With `isTold`, the account has been told of a failure, and is not told
   * again. Errors: 503 `backups_unavailable`, `overloaded`.
   */
  async make(account: Account, ip?: string, isTold = false): Promise<BackupTask> {
    await this.repositories.version();
    const path = clientPath([], this.#host.node.config.virtual_root);
    return this.tasks.begin(account, { kind: 'backup', path }, async (run) => {
      try {
        return await this.alone(account, run.signal, () => this.#backUp(account, run, ip));
      } catch (error) {
        const { aborted, reason } = run.signal;
        const isEnded = aborted && !(reason instanceof HttpError && reason.code === 'files_unavailable'); // on purpose
        if (!isTold && !isEnded && !(error instanceof HttpError && QUIET.has(error.code)))
          await this.#tellFailure(account, error, ip);
        throw error;
      }
    });
  }

  /** Resolves with how a backup that failed since its schedule was due is tried again; `undefined` once there is one since then. */
  async retry(account: Account, schedule: When, newestAt = 0) {
    const dueAt = lastDue(schedule, account.id, Date.now());
    if (dueAt === undefined || newestAt >= dueAt) return undefined;
    return findRetry(await this.tasks.list(account), dueAt, this.#host.config.retry_seconds * 1000);
  }

  /** Begins to restore files. Errors: 404 `backup_not_found`, `file_not_found`, 503 `backups_unavailable`, `overloaded`. */
  async restore(account: Account, id: string, place: Place, ip: string): Promise<BackupTask> {
    const [backup] = await Promise.all([this.find(account, id, true), this.repositories.version()]);
    const path = clientPath(place.components, this.#host.node.config.virtual_root);
    return this.tasks.begin(account, { kind: 'restore', path }, async (run) => {
      const counted = await this.restoreFiles(account, id, place, run);
      await this.tellRestored(account, ip, backup, path);
      return counted;
    });
  }

  /** Restores files of a backup that has some. Errors: 404 `file_not_found`, 409 `backups_busy`, those of restic's run. */
  restoreFiles(account: Account, snapshot: string, place: Place, run: TaskRun): Promise<Counted> {
    return this.alone(account, run.signal, async () => {
      const free = await freeRoom(this.#host, account);
      const repository = await this.repository(account);
      const within = { account, repository, program: this.#host.config.program, run };
      return runInRepository(this.#host, this.#pool, RESTORE, within, { ...place, snapshot, free });
    });
  }

  /** Removes a backup, and begins to free its room. Errors: 404 `backup_not_found`, 409 `backups_busy`. */
  async remove(account: Account, id: string, ip: string): Promise<BackupTask> {
    const backup = await this.find(account, id);
    await this.#held(account, async () =>
      this.retention.forget(account, await this.repositories.find(account), backup, ip),
    );
    const path = clientPath([], this.#host.node.config.virtual_root);
    return this.tasks.begin(account, { kind: 'clean', path }, ({ signal }) =>
      this.alone(account, signal, async () => {
        const repository = await this.repositories.find(account);
        if (repository !== undefined) await this.retention.clean(account, repository, signal);
        return { files: 0, bytes: 0, leftOut: 0 };
      }),
    );
  }

  /** Removes the repository of a removed account, whose work ends when it next says how far it is. */
  async purge(account: RemovedAccount, signal: AbortSignal): Promise<PurgePart> {
    const what = 'repositories of backups';
    for (const end = performance.now() + PURGE_MS; performance.now() < end; await delay(POLL_MS)) {
      signal.throwIfAborted();
      const lease = await this.#host.node.leases.acquire(leaseName(account), LEASE_MS);
      if (lease === undefined) continue;
      return { what, removed: Number(await this.#discard(account).finally(() => lease.release())) };
    }
    return { what, removed: 0, problem: 'work on the backups has not ended' };
  }

  /** Resolves with whether it was removed, and not kept. */
  async #discard(account: RemovedAccount): Promise<boolean> {
    const keepers = await this.#host.gather('keepsBackups', account);
    for (const keeper of keepers) if (!keeper.ok) throw keeper.error;
    if (keepers.some((keeper) => keeper.ok && keeper.value)) await this.repositories.setAside(account);
    return this.repositories.remove(account);
  }

  /** Errors: 404 `backup_not_found`; `file_not_found` for one without files where these are needed. */
  async find({ id: account }: Account, id: string, needsFiles = false): Promise<BackupRow> {
    const backup = (await listBackups(this.#host.local, account)).find((each) => each.id === id);
    if (backup === undefined) throw fail.backup_not_found('the account has no backup of this id');
    if (needsFiles && !hasFiles(backup)) throw fail.file_not_found('the backup has no files');
    return backup;
  }

  /** Errors: 503 `backup_unreadable` if it is gone. */
  async repository(account: Account): Promise<Repository> {
    const repository = await this.repositories.find(account);
    if (repository === undefined)
      throw fail.backup_unreadable('the repository of the account is gone or damaged', AGAIN);
    return repository;
  }

  async close(): Promise<void> {
    await this.tasks.close();
    await this.#pool.close();
  }

  /** Runs work that has the repository for itself, in its turn. Errors: 409 `backups_busy`. */
  alone<T>(account: Account, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(account.id, () => this.#held(account, work), { signal });
  }

  /** Runs it at once. Errors: 409 `backups_busy`. */
  async #held<T>(account: Account, work: () => Promise<T>): Promise<T> {
    const lease = await this.#host.node.leases.acquire(leaseName(account), LEASE_MS);
    if (lease === undefined)
      throw fail.backups_busy('other work on the backups of the account has not ended', { retryAfterSeconds: 10 });
    return work().finally(() => lease.release());
  }

  /** A disk that is not mounted is no reason to begin anew: what comes back with it would be in no list, and be removed. */
  async #begin(account: Account): Promise<Repository> {
    if ((await listKept(this.#host.local, account.id)).length > 0)
      throw fail.backups_unavailable('the repository of the account is gone; to begin anew, remove its backups', AGAIN);
    return this.repositories.open(account);
  }

  async #backUp(account: Account, run: TaskRun, ip: string | undefined): Promise<Counted> {
    const { config, local } = this.#host;
    await this.#host.identity.accounts.assertLivesHere(account); // it may have moved before its turn came
    const repository = (await this.repositories.find(account)) ?? (await this.#begin(account));
    await this.repositories.tidy(repository);
    await adoptRows(local, account, repository.folder);
    await this.retention.reconcile(account, repository);
    const limitMib = account.plan?.limits['backups_limit_mib'] ?? 0;
    const access = new RepositoryAccess(repository.folder, {
      mayAdd: true,
      freeBytes: limitMib === 0 ? Infinity : limitMib * MIB - (await this.repositories.sizeBytes(repository)),
      reserveBytes: config.reserve_mib * MIB,
    });
    const newest = (await listBackups(local, account.id)).find(hasFiles);
    const createdAt = Date.now();
    try {
      const setup = { program: config.program, key: repository.key };
      const making = { host: this.#host, pool: this.#pool, account, run, ip: ip ?? '', access, setup };
      const adding = addSnapshots(making, newest?.id ?? null);
      const { id, files, sizeBytes, counted, items } = await adding.finally(() => access.close());
      const counts = { files, size_bytes: sizeBytes, added_bytes: access.addedBytes, left_out: counted.leftOut };
      const backup = { id, created_at: createdAt, ...counts, is_scheduled: ip === undefined };
      await this.#host.identity.accounts.assertLivesHere(account);
      await local.write((tx) => addBackup(tx, account.id, { ...backup, databases: items }));
      const databases = items.filter(isDatabase);
      const missing = databases.filter(({ snapshot }) => snapshot === null);
      const data = { made_at: madeAt(backup), files, databases: databases.length - missing.length };
      const text = `made a backup of ${files} files and ${data.databases} databases`;
      await tell(this.#host, account, ip, { type: 'backup.made', text, data });
      if (missing[0] !== undefined) {
        const reason = `${missing[0].name || missing[0].engine}: ${missing[0].problem}`;
        const told = `has a backup without ${missing.length} databases: ${reason}`;
        const lacking = { made_at: data.made_at, databases: missing.length, reason };
        await tell(this.#host, account, ip, { type: 'backup.databases_missing', text: told, data: lacking });
      }
      const hasRest = items.some(({ snapshot }) => snapshot === null);
      await this.retention.retain(account, repository, run.signal, hasRest);
      return counted;
    } catch (error) {
      // what came before the end takes the room that another try needs
      if (error instanceof HttpError && error.code === 'backups_full')
        await this.retention.clean(account, repository, run.signal);
      throw error;
    }
  }

  async #tellFailure(account: Account, error: unknown, ip: string | undefined): Promise<void> {
    const reason = publicReason(error);
    const text = `${ip === undefined ? 'could not' : 'tried to'} make a backup: ${reason}`;
    await tell(this.#host, account, ip, { type: 'backup.failed', text, data: { reason } });
  }

  /** `what` says what the path is of. */
  tellRestored(account: Account, ip: string, backup: BackupRow, path: string, what = ''): Promise<void> {
    const data = { made_at: madeAt(backup), path };
    const text = `restored ${what}${path} from the backup of ${data.made_at}`;
    return tell(this.#host, account, ip, { type: 'backup.restored', text, data });
  }
}

const leaseName = ({ id }: Pick<Account, 'id'>) => `backups ${id}`;
