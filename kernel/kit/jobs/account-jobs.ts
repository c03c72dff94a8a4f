import { dirname, join } from 'node:path';
import { fail } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { resolveFilesRoot, findUnsafeParent, operatorsRoot, type FilesRoot } from '../files/files-root.ts';
import { namesIn, rootOwners, type RootOwner } from '../files/root-owners.ts';
import { groupId, userIds } from './system-names.ts';
import type { Launcher } from './launcher.ts';
import { launchHere, type BareProcess, type JobLimits } from './job-launch.ts';
import { JobPool, type JobPoolOptions } from './job-pool.ts';
import { defineJob, type Identified, type Job, type JobOwner, type JobRunOptions, type JobStart } from './job.ts';
import type { Followed, GivenFiles, GivingRequest } from './owners/given-files.ts';
import type giveFiles from './owners/owners-job.ts';
import type { Removal } from './remove-tree.ts';
import type removedFiles from './removed-files-job.ts';
import type { RemovedFiles } from './removed-files-job.ts';
import type unsafeParents from './roots-job.ts';

/** Where accounts have their files, and as whom. */
export interface AccountFiles {
  /** The settings `files_root` and `removed_root`. */
  readonly filesRoot: string;
  readonly removedRoot?: string;
  /** The folder of what jobs keep between processes. */
  readonly stateRoot: string;
  readonly ids: AccountIds;
}
/** The setting `ids`. */
export interface AccountIds {
  /** 0 for none: accounts then have the user of this process, or the owner of their files root. */
  readonly first: number;
  readonly count: number;
  readonly web_group: string;
  readonly system_users: boolean;
}
interface FilesConfig {
  readonly data: string;
  readonly files_root: string;
  readonly removed_root: string;
  readonly ids: AccountIds;
}
interface JobsConfig {
  readonly processes: number;
  readonly memory_mib: number;
}
interface OpenOptions extends JobPoolOptions {
  /** For jobs that open no files: their processes have no rights of this one, and run as `user` if that is given. */
  readonly bare?: BareProcess;
}

const IDLE_MS = 30_000;
/** The largest file that an account may upload where its quota allows it. */
const FILE_MIB = 16_384;
/** For what is the same whoever the account is. */
const ANYBODY = 'anybody';
const ROOTS = defineJob<typeof unsafeParents>({
  beside: import.meta.url,
  script: 'roots-job',
  timeoutMs: 5000,
  tooMuch: 'files_unavailable',
});

/** No user name begins with a dot. */
const REMOVED = '.removed';
const REMOVED_FILES = defineJob<typeof removedFiles>({
  beside: import.meta.url,
  script: 'removed-files-job',
  timeoutMs: 60_000,
  tooMuch: 'files_unavailable',
});
const OWNERS = defineJob<typeof giveFiles>({
  beside: import.meta.url,
  script: 'owners/owners-job',
  timeoutMs: 3_600_000,
  tooMuch: 'files_unavailable',
});
/** Users of the system with a smaller id are not people: root, daemons. */
const FIRST_PERSON = 1000;
/** How long one job removes files before the jobs of others get a turn. */
const REMOVE_MS = 5000;

/** Returns where accounts have their files by the configuration, and what jobs keep by `stateRoot`. */
export function accountFiles({ data, files_root, removed_root, ids }: FilesConfig, stateRoot: string): AccountFiles {
  const resolved = (path: string) => path.replaceAll('{data}', data);
  return { filesRoot: resolved(files_root), removedRoot: resolved(removed_root), stateRoot, ids };
}

/** The jobs of accounts, which run in one pool unless they have reason for one of their own. */
export class AccountJobs {
  readonly #files: AccountFiles;
  readonly #removedRoot: string;
  readonly #log: Log;
  readonly #broker: Launcher | undefined;
  readonly #pool: JobPool;
  readonly #share: (number: number) => number;

  /**
   * With `broker`, the broker starts the processes of accounts and removes their files. `share` returns this worker's part of
   * a number that the node may have.
   */
  constructor(
    files: AccountFiles,
    { processes, memory_mib: memoryMib }: JobsConfig,
    log: Log,
    broker?: Launcher,
    share = (number: number) => number,
  ) {
    this.#share = share;
    this.#files = files;
    this.#removedRoot = files.removedRoot || join(dirname(`${files.filesRoot.split('{username}')[0]}x`), REMOVED);
    this.#log = log;
    this.#broker = broker;
    this.#pool = this.open({ name: 'files', processes, idleMs: IDLE_MS, limits: { memoryMib, fileMib: FILE_MIB } });
  }

  /** Runs a job as an account, whose files root it makes if it is missing and `makesRoot`. Errors: see `JobPool.run`. */
  run<I, O>(
    job: Job<I, O>,
    account: Identified,
    input: I,
    { makesRoot = false, ...options }: JobRunOptions & { readonly makesRoot?: boolean } = {},
  ): Promise<O> {
    return this.#pool.run(job, this.ownerOf(account, { makesRoot }), input, options);
  }

  /** Makes the files root of an account if it is missing, and if its owner can be set. Errors: see `JobPool.run`. */
  async makeRoot(account: Identified): Promise<void> {
    await this.run(ROOTS, account, [], { makesRoot: true });
  }

  /** `more` are members of `JobOwner`. */
  ownerOf(account: Identified, more: Pick<JobOwner, 'state' | 'makesRoot' | 'opensNothing'> = {}): JobOwner {
    return { key: account.id, account, root: this.rootOf(account.username), ...more };
  }

  rootOf(username: string): FilesRoot {
    return resolveFilesRoot(this.#files.filesRoot, username);
  }

  /** Returns the start message of a process for an owner. `isRequired`: see `JobUser`. */
  startOf(
    { account, root, folder, state, makesRoot = false, opensNothing = false }: JobOwner,
    { isRequired = false } = {},
  ): JobStart {
    const { ids, stateRoot } = this.#files;
    if (account !== undefined && account.id >= ids.count)
      throw fail.files_unavailable(`ids.count leaves no user id for the account ${account.id}`);
    const isIdentified = account !== undefined && ids.first > 0;
    const user = isIdentified && {
      uid: ids.first + account.id,
      namesakeUid: ids.system_users ? namesakeOf(account) : null,
      webGid: makesRoot && folder === undefined && ids.web_group !== '' ? groupId(ids.web_group) : null,
      isRequired,
    };
    return {
      root: root ?? null,
      stateFolder: account === undefined || state === undefined ? null : join(stateRoot, String(account.id), state),
      user: user || null,
      makesRoot,
      opensNothing,
    };
  }

  /**
   * Returns the folders from which customers could exchange the files root of one of these accounts. Errors: 503
   * `files_unavailable` if the files do not answer.
   */
  async unsafeParents(usernames: () => Promise<readonly string[]>): Promise<string[]> {
    const sample = this.rootOf(ANYBODY);
    // the parent of a root that ends with the user name is the operator's, and the same for all
    if (sample.below.length === 0) return [findUnsafeParent(sample)].filter((parent) => parent !== undefined);
    const roots = (await usernames()).map((username) => this.rootOf(username));
    return this.#pool.run(ROOTS, { key: 'roots' }, roots);
  }

  /** Resolves with what lies where accounts have their files roots; see `rootOwners`. */
  owners(): Promise<RootOwner[]> {
    return rootOwners(this.#files.filesRoot);
  }

  /** Resolves with the largest account id by the owners of files roots, and by the files of removed accounts; 0 for none. */
  async newestId(): Promise<number> {
    const { first, count } = this.#files.ids;
    const owned = first === 0 ? [] : (await this.owners()).map(({ uid }) => uid - first).filter((id) => id < count);
    const removed = (await namesIn(this.#removedRoot)).map((name) => Number(/-(\d+)$/.exec(name)?.[1] ?? 0));
    return Math.max(0, ...owned, ...removed);
  }

  /** Where the files of a removed account lie. */
  removedRootOf(account: Identified): string {
    const { aside, name } = this.#filesOf(account);
    return join(aside, name);
  }

  /**
   * Moves the files of a removed account out of the files root, so that no later account finds them. Resolves with
   * whether there were any, and with the problem if they stay. Errors: 503 `files_unavailable`.
   */
  async setAside(account: Identified): Promise<{ readonly hadFiles: boolean; readonly problem?: string | undefined }> {
    if (this.#isShared) return { hadFiles: false };
    if (this.#broker !== undefined) return this.#broker.setAside(account);
    const { removed, problem } = await this.#runRemoved(account, { ...this.#filesOf(account), task: 'set aside' });
    return { hadFiles: removed > 0 || problem !== undefined, problem };
  }

  /**
   * Removes the files of a removed account, wherever they lie, until the signal is aborted. Errors: 503
   * `files_unavailable`.
   */
  async removeFiles(account: Identified, signal: AbortSignal): Promise<Removal> {
    if (this.#isShared) return { removed: 0, isComplete: true };
    if (this.#broker !== undefined) return this.#broker.removeFiles(account, signal);
    const input = { ...this.#filesOf(account), task: 'remove', timeMs: REMOVE_MS } as const;
    for (let total = 0; ;) {
      const { removed, problem, isComplete } = await this.#runRemoved(account, input);
      total += removed;
      if (isComplete || signal.aborted) return { removed: total, problem, isComplete };
    }
  }

  /**
   * Gives an account what root owns in a folder of its files; see `owners-job.ts`. Errors: 404 `folder_not_found`, 503
   * `files_unavailable`.
   */
  async giveFiles(account: Identified, request: GivingRequest, followed: Followed): Promise<GivenFiles> {
    if (this.#broker !== undefined) return this.#broker.giveFiles(account, request, followed);
    const refused = (problem: string) => ({ given: 0, leftOut: 0, problem });
    if (process.geteuid?.() !== 0) return refused('this server has no right to give files away');
    if (this.#isShared) return refused('all accounts share one folder');
    const root = this.rootOf(account.username);
    const { user } = this.startOf(this.ownerOf(account));
    return this.#pool.run(OWNERS, aboveOf(`owners ${account.id}`, root), { root, user, ...request }, followed);
  }

  #runRemoved(account: Identified, input: Parameters<typeof removedFiles>[0]): Promise<Removal> {
    return this.#pool.run(REMOVED_FILES, aboveOf(`removed ${account.id}`, input.root), input);
  }

  #filesOf({ id, username }: Identified): RemovedFiles {
    return {
      root: this.rootOf(username),
      aside: this.#removedRoot,
      name: `${username}-${id}`,
      state: { folder: this.#files.stateRoot, name: String(id) },
    };
  }

  /** Whether all accounts have the same files root, which the configuration refuses: to remove it would be to remove all. */
  get #isShared(): boolean {
    return !this.#files.filesRoot.includes('{username}');
  }

  /** Opens a pool; the caller closes it. */
  open({ bare, ...options }: OpenOptions): JobPool {
    const launch = (owner: JobOwner, limits: JobLimits) =>
      this.#broker === undefined || owner.account === undefined || bare !== undefined
        ? launchHere(this.startOf(owner), limits, bare)
        : this.#broker.launch(owner.account, owner, limits);
    return new JobPool({ ...options, processes: this.#share(options.processes) }, launch, this.#log);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Returns an owner whose process keeps the rights of this one: its root is the operator's folder above that of an account. */
function aboveOf(key: string, { operatorPath }: FilesRoot): JobOwner {
  return { key, root: operatorsRoot(dirname(operatorPath)) };
}

function namesakeOf({ username }: Identified): number | null {
  const uid = userIds(username)?.uid ?? 0;
  return uid >= FIRST_PERSON ? uid : null;
}
