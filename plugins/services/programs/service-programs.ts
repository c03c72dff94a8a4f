import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, fail as refuse } from '../../../kernel/errors.ts';
import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import {
  killMaster,
  masterPid,
  ProgramFolder,
  type NamedProgram,
} from '../../../kernel/kit/programs/program-folder.ts';
import { ownProcessId } from '../../../kernel/kit/programs/start-program.ts';
import { readAccount, readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../errors.ts';
import { findProgram, missingProgram, type Missing } from '../missing.ts';
import { readRecipes, SERVICE, type Recipe } from '../recipes.ts';
import { BROKERS, STORAGE, type ServicesConfig } from '../schema.ts';
import { ServiceContainers } from './service-containers.ts';
import { LARGEST_MIB, PROGRAM_NAME, programName, serviceNamed, type CachedSites } from './service-program.ts';
import type { ServiceVerbs, StoredService } from './service-verbs.ts';
import { FORWARDER, PASSER, ServiceStarter, type Owner } from './start-service.ts';

const ADDRESS = /^[0-9a-f.:]{2,45}$/;
const KEY = /^[0-9a-f]{64}$/;
/** How long a program may take to end by itself. */
const STOP_MS = 3000;
const POLL_MS = 20;
/** Characters that a program printed which are kept. */
const PRINTED = 1000;

/** Starts and ends the programs of services: as the account, without a network, and where they see no other process. */
export class ServicePrograms implements ServiceVerbs {
  readonly #host: PrivilegedHost<ServicesConfig>;
  readonly #folder: ProgramFolder;
  readonly #containers: ServiceContainers;
  readonly #starter: ServiceStarter;
  readonly #recipes: ReadonlyMap<string, Recipe>;
  /** The last that programs which this process started have printed, by what they are called. */
  readonly #printed = new Map<string, string>();

  constructor(host: PrivilegedHost<ServicesConfig>) {
    const { run_folder: runFolder, storage_folder: storage, engine_socket: engineSocket } = host.config;
    const installation = runFolder || BROKERS;
    this.#host = host;
    this.#recipes = readRecipes(host.config.recipes_folder);
    this.#folder = new ProgramFolder(installation, PROGRAM_NAME, host.signal);
    this.#containers = new ServiceContainers({ engineSocket, storage: storage || STORAGE, installation });
    this.#starter = new ServiceStarter(host, this.#containers);
  }

  async missing(service: unknown): Promise<Missing | null> {
    const recipe = this.#recipeNamed(service);
    const { run } = recipe;
    const programs = 'image' in run ? [FORWARDER] : [run, ...(run.sites === undefined ? [] : [PASSER])];
    const lacking = programs.find((each) => findProgram(each) === undefined);
    if (lacking !== undefined) return missingProgram(recipe, lacking);
    if (!('image' in run)) return null;
    return this.#containers.missing(recipe, run).catch((error: unknown) => {
      this.#host.log.debug({ err: error }, 'the container engine does not say whether it has an image');
      const detail = `${recipe.title} is not available on this server: the container engine does not answer`;
      return { detail, remedy: 'apt-get install docker.io and start dockerd, or set services.engine_socket' };
    });
  }

  async start(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'service', 'memoryMib', 'sites']);
    const account = readAccount(given.account);
    const recipe = this.#recipeNamed(given.service);
    const size = { memoryMib: readInteger(given.memoryMib, 1, LARGEST_MIB), sites: readSites(given.sites) };
    const name = programName(recipe, size);
    if ((await this.running(account.id)).some((each) => each.name === name)) return name;
    for (const other of await this.#folder.names(account.id))
      if (serviceNamed(other) === recipe.name) await this.stop({ accountId: account.id, name: other });
    const missing = await this.missing(recipe.name);
    if (missing !== null) throw fail.service_failed(missing.detail);
    if (process.geteuid?.() !== 0) throw fail.service_failed('only root, or the broker, starts programs of accounts');
    const owner = await filesOwner(this.#host, account, fail.service_failed);
    const webGid = this.#host.userOf(account)?.webGid ?? null;
    await this.#start({ accountId: account.id, name }, recipe, { ...owner, ...size, account, webGid });
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
    if (this.#isContainer(name))
      this.#note(`${accountId}/${name}`, await this.#containers.remove(accountId, serviceNamed(name)));
    await this.#folder.clear(accountId, name);
    await rm(this.#folder.socket(accountId, serviceNamed(name)), { force: true });
    const key = `${accountId}/${name}`;
    const printed = this.#printed.get(key) ?? '';
    this.#printed.delete(key);
    return printed.trim();
  }

  async end(accountId: unknown): Promise<number> {
    const id = readId(accountId);
    for (const key of this.#printed.keys()) if (key.startsWith(`${id}/`)) this.#printed.delete(key);
    const ended = await this.#folder.end(id);
    await this.#containers.remove(id, undefined, 0);
    return ended;
  }

  async running(accountId: unknown): Promise<readonly NamedProgram[]> {
    const id = accountId === null ? undefined : readId(accountId);
    // asked before the folder: one that is started meanwhile is there by then
    const containers = await this.#containersOf(id);
    const running = await this.#folder.running(id);
    const isSame = (one: NamedProgram) => (other: NamedProgram) =>
      one.accountId === other.accountId && one.name === other.name;
    for (const each of containers)
      if (!(await this.#folder.isStarting(each)) && !running.some(isSame(each)))
        this.#note(`${each.accountId}/${each.name}`, await this.#containers.removeOne(each));
    const whole = containers.filter((each) => each.isRunning);
    return running.filter((each) => !this.#isContainer(each.name) || whole.some(isSame(each)));
  }

  stored(): Promise<readonly StoredService[]> {
    return this.#containers.stored();
  }

  async discard(what: unknown): Promise<void> {
    const { accountId, service } = readMembers(what, ['accountId', 'service']);
    await this.#containers.discard(readId(accountId), service === null ? undefined : readText(service, SERVICE));
  }

  /** An engine that does not answer has none: what is not found is started, which then says why it cannot be. */
  async #containersOf(id?: number) {
    if (id !== undefined && !(await this.#folder.names(id)).some((name) => this.#isContainer(name))) return [];
    return this.#containers.list(id).catch((error: unknown) => {
      this.#host.log.debug({ err: error }, 'the container engine does not list the containers of services');
      return [];
    });
  }

  #isContainer(name: string): boolean {
    const run = this.#recipes.get(serviceNamed(name))?.run;
    return run !== undefined && 'image' in run;
  }

  #recipeNamed(service: unknown): Recipe {
    const recipe = this.#recipes.get(readText(service, SERVICE));
    if (recipe === undefined) throw refuse.invalid_request('there is no such service');
    return recipe;
  }

  async #start(named: NamedProgram, recipe: Recipe, owner: Omit<Owner, 'socket'>): Promise<void> {
    const key = `${named.accountId}/${named.name}`;
    this.#printed.set(key, '');
    const socket = this.#folder.socket(named.accountId, recipe.name);
    await this.#folder.start(named, { settings: JSON.stringify(recipe.run), gid: owner.webGid ?? 0 }, async () => {
      const child = await this.#starter.start(named, recipe, { ...owner, socket });
      for (const output of [child.stdout, child.stderr])
        output?.setEncoding('utf8').on('data', (text: string) => this.#note(key, text));
      return child.once('error', (error) => this.#note(key, errorMessage(error)));
    });
  }

  #note(key: string, text: string): void {
    this.#printed.set(key, ((this.#printed.get(key) ?? '') + text).slice(-PRINTED));
    this.#host.log.debug({ program: key, text }, 'a service printed');
  }
}

function readSites(value: unknown): CachedSites | null {
  if (value === null) return null;
  const { host, port, key } = readMembers(value, ['host', 'port', 'key']);
  return { host: readText(host, ADDRESS), port: readInteger(port, 1, 65_535), key: readText(key, KEY) };
}

const readId = (value: unknown): number => readInteger(value, 1, 2 ** 31);

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
