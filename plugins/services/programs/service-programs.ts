import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, fail as refuse } from '../../../kernel/errors.ts';
import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import {
  killMaster,
  masterPid,
  ProgramFolder,
  type NamedProgram,
} from '../../../kernel/kit/programs/program-folder.ts';
import { ownProcessId, startProgram } from '../../../kernel/kit/programs/start-program.ts';
import { readAccount, readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../errors.ts';
import { missingProgram, findProgram, readRecipes, SERVICE, type Recipe } from '../recipes.ts';
import { BROKERS, type ServicesConfig } from '../schema.ts';
import { programArguments, LARGEST_MIB, PROGRAM_NAME, programName, serviceNamed } from './service-program.ts';

export interface ServiceVerbs {
  /**
   * Starts the program of a service, whose folder is there, and resolves with its name; whether it answers, the caller sees.
   * Does nothing for one that runs, and ends one of the same service that was started with other limits.
   */
  start(request: {
    readonly account: Identified;
    readonly service: string;
    readonly memoryMib: number;
  }): Promise<string>;
  /** Has a program end, and resolves with the last that it printed. */
  stop(program: NamedProgram): Promise<string>;
  /** Kills all programs of an account at once. Resolves with their number. */
  end(accountId: number): Promise<number>;
  /** Resolves with the programs that run, of an account or of all. */
  running(accountId: number | null): Promise<readonly NamedProgram[]>;
}

const MIB = 2 ** 20;
/** The part of the memory for what is stored that fragments and connections may take beside it. */
const SLACK = 0.5;
/** Processes and threads that the account may have, those of its other programs included. */
const PROCESSES = 512;
/** How long a program may take to end by itself. */
const STOP_MS = 3000;
const POLL_MS = 20;
/** Characters that a program printed which are kept. */
const PRINTED = 1000;

/** Starts and ends the programs of services: as the account, without a network, and where they see no other process. */
export class ServicePrograms implements ServiceVerbs {
  readonly #host: PrivilegedHost<ServicesConfig>;
  readonly #folder: ProgramFolder;
  readonly #recipes: ReadonlyMap<string, Recipe> = readRecipes();
  /** The last that programs which this process started have printed, by what they are called. */
  readonly #printed = new Map<string, string>();

  constructor(host: PrivilegedHost<ServicesConfig>) {
    this.#host = host;
    this.#folder = new ProgramFolder(host.config.run_folder || BROKERS, PROGRAM_NAME, host.signal);
  }

  async start(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'service', 'memoryMib']);
    const account = readAccount(given.account);
    const recipe = this.#recipes.get(readText(given.service, SERVICE));
    const memoryMib = readInteger(given.memoryMib, 1, LARGEST_MIB);
    if (recipe === undefined) throw refuse.invalid_request('there is no such service');
    const name = programName(recipe, memoryMib);
    if ((await this.#folder.master(account.id, name))?.isEnding === false) return name;
    for (const other of await this.#folder.names(account.id))
      if (serviceNamed(other) === recipe.name) await this.stop({ accountId: account.id, name: other });
    const program = findProgram(recipe);
    if (program === undefined) throw fail.service_failed(missingProgram(recipe));
    if (process.geteuid?.() !== 0) throw fail.service_failed('only root, or the broker, starts programs of accounts');
    const owner = await filesOwner(this.#host, account, fail.service_failed);
    await this.#start({ accountId: account.id, name }, program, recipe, { ...owner, memoryMib });
    return name;
  }

  async stop(program: unknown): Promise<string> {
    const given = readMembers(program, ['accountId', 'name']);
    const [accountId, name] = [readId(given.accountId), readText(given.name, PROGRAM_NAME)];
    const master = await this.#folder.master(accountId, name);
    if (master !== undefined) {
      const pid = ownProcessId(masterPid(master));
      if (!master.isEnding) await this.#folder.setEnding(accountId, name);
      if (pid !== undefined) terminate(pid);
      for (const deadline = performance.now() + STOP_MS; isRunning(master.id); await delay(POLL_MS))
        if (performance.now() > deadline) await killMaster(master);
    }
    await this.#folder.clear(accountId, name);
    const key = `${accountId}/${name}`;
    const printed = this.#printed.get(key) ?? '';
    this.#printed.delete(key);
    return printed.trim();
  }

  end(accountId: unknown): Promise<number> {
    const id = readId(accountId);
    for (const key of this.#printed.keys()) if (key.startsWith(`${id}/`)) this.#printed.delete(key);
    return this.#folder.end(id);
  }

  async running(accountId: unknown): Promise<readonly NamedProgram[]> {
    return this.#folder.running(accountId === null ? undefined : readId(accountId));
  }

  async #start(
    named: NamedProgram,
    program: string,
    recipe: Recipe,
    { uid, root, memoryMib }: { readonly uid: number; readonly root: string; readonly memoryMib: number },
  ): Promise<void> {
    const { accountId, name } = named;
    const { own_mib: ownMib, open_files: openFiles } = recipe.run;
    const args = programArguments(recipe, root, memoryMib);
    const key = `${accountId}/${name}`;
    this.#printed.set(key, '');
    const note = (text: string) => {
      this.#printed.set(key, ((this.#printed.get(key) ?? '') + text).slice(-PRINTED));
      this.#host.log.debug({ account: accountId, program: name, text }, 'a service printed');
    };
    await this.#folder.start(named, { settings: JSON.stringify([program, ...args]), gid: 0 }, () => {
      const child = startProgram(program, args, {
        cwd: '/',
        group: this.#host.groups?.ofAccount(accountId),
        user: { uid, gid: uid },
        isAlone: true,
        isOffline: true,
        isGroup: true,
        diesWithParent: true,
        limits: { dataBytes: Math.ceil(memoryMib * (1 + SLACK) + ownMib) * MIB, openFiles, processes: PROCESSES },
      });
      for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', note);
      return child.once('error', (error) => note(errorMessage(error)));
    });
  }
}

const readId = (value: unknown): number => readInteger(value, 1, 2 ** 31);

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
