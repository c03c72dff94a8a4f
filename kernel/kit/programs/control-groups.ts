/**
 * Control groups of accounts (cgroups v2), in the part of the tree that systemd has delegated to the unit of this process:
 * the group of the unit holds `broker`, in which this process runs (`DelegateSubgroup`), and `accounts`, with a group for each
 * account that has processes. What they may take together, the kernel keeps.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, fail } from '../../errors.ts';
import { isMissing } from '../files/files-root.ts';
import { replaceFile } from '../files/atomic-file.ts';
import { isObject } from '../../schema.ts';
import { findDisk } from './disk.ts';

/** The values of a group's files, by their names: `100` for `pids.max`. That of `io.max` leaves the disk out. */
export type GroupSettings = Readonly<Record<string, string>>;

interface Places {
  /** Where control groups are mounted. */
  readonly mount?: string;
  /** The file that says in which group this process is. */
  readonly self?: string;
  /** The folder of what outlives this process. */
  readonly state: string;
  /** The folder of accounts' files, whose disk is the one to and from which traffic is counted and limited. */
  readonly files: string;
  /** Where block devices are known by their numbers. */
  readonly devices?: string;
}
/** A disk, as `<major>:<minor>`, or why there is none. */
type Disk = { readonly disk: string } | { readonly problem: string };

/** By the unit of systemd. */
const OWN = 'broker';
const ACCOUNTS = 'accounts';
const CONTROLLERS = ['cpu', 'io', 'memory', 'pids'] as const;
const IO_MAX = 'io.max';
const ID = /^\d{1,10}$/;
/** How long a group may be without processes before it is removed: what was given its folder has long begun by then. */
const EMPTY_MS = 60_000;
const KILLED_MS = 5000;
const POLL_MS = 20;

/** Makes, limits, reads and removes the groups of accounts. */
export class ControlGroups {
  /** Why accounts have no groups here; `undefined` if they have. */
  readonly problem: string | undefined;
  /** The controllers that count and limit in each group, such as `memory`. */
  readonly controllers: ReadonlySet<string>;
  /** The disk of accounts' files, without which `io` is none of the controllers. */
  readonly disk: Disk;
  readonly #accounts: string;
  readonly #file: string;
  readonly #kept: Map<number, GroupSettings>;
  /** When groups were last given to somebody, or seen with processes, by the monotonic clock. */
  readonly #used = new Map<number, number>();
  /** Settles when the last change of what is kept is written. */
  #written: Promise<void> = Promise.resolve();

  private constructor(accounts: string, controllers: readonly string[], disk: Disk, file: string, problem?: string) {
    this.problem = problem;
    this.controllers = new Set(controllers.filter((name) => name !== 'io' || 'disk' in disk));
    this.disk = disk;
    this.#accounts = accounts;
    this.#file = file;
    this.#kept = problem === undefined ? readKept(file) : new Map();
  }

  /** For a process that has no part of the tree. */
  static none(problem: string): ControlGroups {
    return new ControlGroups('', [], { problem }, '', problem);
  }

  /** Takes the part of the tree that systemd has delegated to this process, if it has. */
  static open(places: Places): ControlGroups {
    const { mount = '/sys/fs/cgroup', self = '/proc/self/cgroup', state } = places;
    if (!existsSync(join(mount, 'cgroup.controllers')))
      return this.none('this system has no unified control groups (cgroup v2)');
    const own = /^0::(\/.*)$/m.exec(readFileSync(self, 'utf8'))?.[1] ?? '/';
    if (basename(own) !== OWN) return this.none('systemd has delegated no control group to this process');
    try {
      const unit = join(mount, dirname(own));
      const delegated = new Set(readFileSync(join(unit, 'cgroup.controllers'), 'utf8').trim().split(' '));
      const accounts = join(unit, ACCOUNTS);
      mkdirSync(accounts, { recursive: true });
      const enabled = CONTROLLERS.filter((name) => delegated.has(name) && enables([unit, accounts], name));
      return new ControlGroups(accounts, enabled, limitedDisk(accounts, places), join(state, 'control-groups.json'));
    } catch (error) {
      return this.none(`the control groups cannot be used: ${errorMessage(error)}`);
    }
  }

  /** Returns the folder of an account's group, which it makes with what is kept for it; `undefined` where there are none. */
  ofAccount(accountId: number): string | undefined {
    if (this.problem !== undefined) return undefined;
    const folder = this.#folder(accountId);
    this.#used.set(accountId, performance.now());
    try {
      mkdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return folder;
      throw error;
    }
    for (const [file, value] of this.#known(this.#kept.get(accountId) ?? {}))
      try {
        writeFileSync(join(folder, file), value);
      } catch (error) {
        assertAbsent(error);
      }
    return folder;
  }

  /** Returns what is kept for accounts, whether or not they have processes. */
  kept(): ReadonlyMap<number, GroupSettings> {
    return this.#kept;
  }

  /** Has groups keep settings from now on; `undefined` forgets an account's. Resolves once they outlive this process. */
  async keep(changes: ReadonlyMap<number, GroupSettings | undefined>): Promise<void> {
    if (this.problem !== undefined) throw fail.invalid_request(this.problem);
    for (const [id, settings] of changes) {
      if (settings === undefined) this.#kept.delete(id);
      else {
        // to lower a limit may take the kernel a while, in which it frees memory
        if (this.ids().includes(id))
          for (const [file, value] of this.#known(settings))
            await writeFile(join(this.#folder(id), file), value).catch(assertAbsent);
        this.#kept.set(id, settings);
      }
    }
    const written = this.#written.then(() => this.#write());
    this.#written = written.catch(() => undefined); // its caller gets the failure
    await written;
  }

  /** Returns the accounts that have groups. */
  ids(): number[] {
    if (this.problem !== undefined) return [];
    return readdirSync(this.#accounts)
      .filter((name) => ID.test(name))
      .map(Number);
  }

  /** Returns the text of a group's file; `''` where the kernel has none. */
  read(accountId: number, file: string): string {
    try {
      return readFileSync(join(this.#folder(accountId), file), 'utf8');
    } catch (error) {
      if (isMissing(error)) return '';
      throw error;
    }
  }

  /** Removes groups in which nothing has run for a while. */
  sweep(emptyMs = EMPTY_MS): void {
    const now = performance.now();
    for (const id of this.ids()) {
      const used = this.#used.get(id);
      if (used === undefined || this.#isPopulated(id)) this.#used.set(id, now);
      else if (now - used >= emptyMs) this.#remove(id);
    }
  }

  /** Kills all that runs in an account's group, and removes the group. Resolves with whether there was one. */
  async kill(accountId: number): Promise<boolean> {
    if (!this.ids().includes(accountId)) return false;
    writeFileSync(join(this.#folder(accountId), 'cgroup.kill'), '1');
    for (const deadline = performance.now() + KILLED_MS; this.#isPopulated(accountId); await delay(POLL_MS))
      if (performance.now() > deadline) throw fail.overloaded(`processes of the account ${accountId} do not end`);
    this.#remove(accountId);
    return true;
  }

  /** Does what `kill` does, and forgets what was kept for the account. */
  async end(accountId: number): Promise<boolean> {
    const isThere = await this.kill(accountId);
    if (this.#kept.has(accountId)) await this.keep(new Map([[accountId, undefined]]));
    return isThere;
  }

  #isPopulated(accountId: number): boolean {
    return /^populated 1$/m.test(this.read(accountId, 'cgroup.events'));
  }

  #remove(accountId: number): void {
    rmdirSync(this.#folder(accountId));
    this.#used.delete(accountId);
  }

  #folder(accountId: number): string {
    return join(this.#accounts, String(accountId));
  }

  /** A controller that is not delegated has no files. */
  #known(settings: GroupSettings): [string, string][] {
    const known = Object.entries(settings).filter(([file]) => this.controllers.has(file.split('.')[0] ?? ''));
    const disk = 'disk' in this.disk ? this.disk.disk : '';
    return known.map(([file, value]) => [file, file === IO_MAX ? `${disk} ${value}` : value]);
  }

  async #write(): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await replaceFile(this.#file, JSON.stringify(Object.fromEntries(this.#kept)), { mode: 0o600 });
  }
}

/** Has the groups below each folder count and limit by a controller. Returns whether the kernel lets them. */
function enables(folders: readonly string[], controller: string): boolean {
  try {
    for (const folder of folders) writeFileSync(join(folder, 'cgroup.subtree_control'), `+${controller}`);
    return true;
  } catch {
    return false; // such as `cpu` beside processes in real time; the others are of use without it
  }
}

/** Finds the disk of accounts' files, and whether the kernel takes limits for it. */
function limitedDisk(accounts: string, { files, devices }: Places): Disk {
  try {
    const disk = findDisk(files, devices);
    writeFileSync(join(accounts, IO_MAX), `${disk} rbps=max wbps=max`);
    return { disk };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

/** Throws unless the kernel has no such file, as `memory.swap.max` without swap. It lets nobody make one (EACCES). */
function assertAbsent(error: unknown): void {
  if (!['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

/** Reads what a process before this one kept; nothing where none did. */
function readKept(file: string): Map<number, GroupSettings> {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(kept)) throw new Error(`${file} holds no limits`);
    return new Map(Object.entries(kept).map(([id, settings]) => [Number(id), settings as GroupSettings]));
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}
