import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fail } from '../../errors.ts';
import { undefinedIfMissing } from '../files/if-missing.ts';
import { accountSocket, OWN_UID } from '../net/account-socket.ts';
import { namesIn } from '../files/root-owners.ts';
import { identify, isRunning, PROCESS_ID } from './process-id.ts';
import { killProgram, type ChildProcess } from './start-program.ts';

const ACCOUNT = /^\d{1,10}$/;
/**
 * The files of a program by their endings: what identifies its master, that this one has been told to end, and what identifies the
 * process that starts it, or that listens in its place.
 */
const [CONFIG, MASTER, ENDING] = ['.conf', '.master', '.ending'] as const;
const [STARTING, ASLEEP] = ['.starting', '.asleep'] as const;
/** How long a killed master may take to be gone. */
const KILLED_MS = 5000;
const POLL_MS = 20;

/** The first process of a program, and the state in which it is. */
export interface Master {
  /** See `identify`. */
  readonly id: string;
  readonly isEnding: boolean;
}

/** A program by its account. */
export interface NamedProgram {
  readonly accountId: number;
  readonly name: string;
}

export const programKey = ({ accountId, name }: NamedProgram): string => `${accountId}/${name}`;

/**
 * The files of programs that go on running for accounts: a folder for each account, which only root changes. They outlive the
 * process that starts the programs, so that the next one knows what runs.
 */
export class ProgramFolder {
  readonly #root: string;
  readonly #names: RegExp;
  readonly #signal: AbortSignal;
  /** The masters that this process started. */
  readonly #started = new Set<ChildProcess>();

  /** `names`: what programs are called here; other files are left alone. What this process started ends when `signal` is aborted. */
  constructor(root: string, names: RegExp, signal: AbortSignal) {
    this.#root = root;
    this.#names = names;
    this.#signal = signal;
    signal.addEventListener('abort', this.#endStarted, { once: true });
  }

  /** Returns a folder in which nobody else looks for programs, for those that are none of an account. */
  apart(): ProgramFolder {
    return new ProgramFolder(join(this.#root, `proof-${randomUUID().slice(0, 8)}`), this.#names, this.#signal);
  }

  /** Removes all of it. */
  async dispose(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#endStarted);
    await rm(this.#root, { recursive: true, force: true });
  }

  socket(accountId: number, name: string): string {
    return accountSocket(this.#root, accountId, name);
  }

  /**
   * Writes the settings of a program, to which the group may pass, and has `begin` start it with their path; it need not be waited for.
   * Resolves with its first process. Rejects with what `begin` throws; nothing is left of it then.
   */
  async start(
    named: NamedProgram,
    { settings, gid }: { readonly settings: string; readonly gid: number },
    begin: (file: string) => ChildProcess | Promise<ChildProcess>,
  ): Promise<ChildProcess> {
    const { accountId, name } = named;
    const folder = join(this.#root, String(accountId));
    await mkdir(this.#root, { recursive: true, mode: 0o755 });
    await chmod(this.#root, 0o755); // whatever the umask
    await mkdir(folder, { recursive: true, mode: 0o710 });
    await chown(folder, OWN_UID, gid);
    await chmod(folder, 0o710);
    // whoever looks what runs would remove these settings before a master reads them
    await writeFile(this.#file(accountId, name, STARTING), PROCESS_ID, { mode: 0o600 });
    let child: ChildProcess | undefined;
    try {
      const file = this.#file(accountId, name, CONFIG);
      await writeFile(file, settings, { mode: 0o600 });
      const begun = (child = await begin(file));
      this.#started.add(begun);
      begun.once('exit', () => this.#started.delete(begun));
      begun.unref();
      const id = begun.pid === undefined ? undefined : identify(begun.pid);
      if (id !== undefined) await writeFile(this.#file(accountId, name, MASTER), id, { mode: 0o600 });
      return begun;
    } catch (error) {
      if (child !== undefined) killProgram(child, { isGroup: true }); // nobody would find it
      await this.clearUnlessAsleep(named);
      throw error;
    } finally {
      await rm(this.#file(accountId, name, STARTING), { force: true });
    }
  }

  /** Says of a master that it has been told to end. */
  setEnding(accountId: number, name: string): Promise<void> {
    return rename(this.#file(accountId, name, MASTER), this.#file(accountId, name, ENDING));
  }

  /** Resolves with whether a master that has been told to end still runs, perhaps beside the next one. */
  isEnding({ accountId, name }: NamedProgram): Promise<boolean> {
    return this.#isHeld(accountId, name, ENDING);
  }

  /** Resolves with whether a process is starting a program, which has no master yet. */
  isStarting({ accountId, name }: NamedProgram): Promise<boolean> {
    return this.#isHeld(accountId, name, STARTING);
  }

  /** Says whether this process listens in the place of a program's master, which the first request starts. */
  async setAsleep(accountId: number, name: string, isAsleep: boolean): Promise<void> {
    const file = this.#file(accountId, name, ASLEEP);
    await (isAsleep ? writeFile(file, PROCESS_ID, { mode: 0o600 }) : rm(file, { force: true }));
  }

  /** Resolves with whether a process listens in the place of a program's master. */
  isAsleep(accountId: number, name: string): Promise<boolean> {
    return this.#isHeld(accountId, name, ASLEEP);
  }

  /** Resolves with the master of a program if it runs. Rejects if that cannot be read: a second one would take its socket. */
  async master(accountId: number, name: string): Promise<Master | undefined> {
    for (const end of [MASTER, ENDING]) {
      const id = await runningIn(this.#file(accountId, name, end));
      if (id !== undefined) return { id, isEnding: end === ENDING };
    }
    return undefined;
  }

  /** Removes what a program without a master has left. */
  async clear(accountId: number, name: string): Promise<void> {
    await rm(this.socket(accountId, name), { force: true });
    for (const end of [CONFIG, MASTER, ENDING, STARTING, ASLEEP])
      await rm(this.#file(accountId, name, end), { force: true });
  }

  /** The same, unless a process listens in the place of the master, which needs the settings for the next start. */
  async clearUnlessAsleep({ accountId, name }: NamedProgram): Promise<void> {
    if (!(await this.isAsleep(accountId, name))) await this.clear(accountId, name);
  }

  /** Resolves with the programs, of an account or of all, that run or are asleep, and have not been told to end; clears what others have left. */
  async running(only?: number): Promise<NamedProgram[]> {
    const found: NamedProgram[] = [];
    const accounts = only === undefined ? (await namesIn(this.#root)).filter((name) => ACCOUNT.test(name)) : [only];
    for (const accountId of accounts.map(Number))
      for (const name of await this.names(accountId)) {
        const isStarting = await this.isStarting({ accountId, name }); // asked first, as it ends once there is a master
        const master = await this.master(accountId, name);
        if (master?.isEnding === false || (await this.isAsleep(accountId, name))) found.push({ accountId, name });
        else if (master === undefined && !isStarting) await this.clear(accountId, name);
      }
    return found;
  }

  /** Resolves with the names of an account's programs, whether or not they run. */
  async names(accountId: number): Promise<string[]> {
    const files = await namesIn(join(this.#root, String(accountId)));
    const names = files.filter((name) => name.endsWith(CONFIG)).map((name) => name.slice(0, -CONFIG.length));
    return names.filter((name) => this.#names.test(name));
  }

  /** Kills the masters of an account, and removes its folder. Resolves with their number. */
  async end(accountId: number): Promise<number> {
    const names = await this.names(accountId);
    for (const name of names) {
      // one that has been told to end may still run beside the next
      for (
        let master = await this.master(accountId, name);
        master !== undefined;
        master = await this.master(accountId, name)
      )
        await killMaster(master);
    }
    await rm(join(this.#root, String(accountId)), { recursive: true, force: true });
    return names.length;
  }

  readonly #endStarted = (): void => {
    for (const child of this.#started) killProgram(child, { isGroup: true });
  };

  async #isHeld(accountId: number, name: string, end: string): Promise<boolean> {
    return (await runningIn(this.#file(accountId, name, end))) !== undefined;
  }

  #file(accountId: number, name: string, end: string): string {
    return join(this.#root, String(accountId), `${name}${end}`);
  }
}

/** Resolves with what a file identifies if that process runs. Rejects if the file cannot be read. */
async function runningIn(file: string): Promise<string | undefined> {
  const id = await readFile(file, 'utf8').catch(undefinedIfMissing);
  return id !== undefined && id !== '' && isRunning(id) ? id : undefined;
}

export const masterPid = ({ id }: Master): number => Number.parseInt(id, 10);

/** Kills a master and all that it started, and resolves when it is gone. */
export async function killMaster(master: Master): Promise<void> {
  killProgram({ pid: masterPid(master) }, { isGroup: true });
  for (const deadline = performance.now() + KILLED_MS; isRunning(master.id); await delay(POLL_MS))
    if (performance.now() > deadline) throw fail.overloaded(`the process ${master.id} does not end`);
}
