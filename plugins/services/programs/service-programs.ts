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
import { LOG_LINES, secretsIn, ServiceOutputs, shownLines } from './service-outputs.ts';
import type { ServiceVerbs, StoredService } from './service-verbs.ts';
import { FORWARDER, PASSER, ServiceStarter, type Owner } from './start-service.ts';

const ADDRESS = /^[0-9a-f.:]{2,45}$/;
const KEY = /^[0-9a-f]{64}$/;
/** How long a program may take to end by itself. */
const STOP_MS = 3000;
const POLL_MS = 20;
/** Characters that a program printed, in the log of this process. */
const PRINTED = 1000;

/** Starts and ends the programs of services: as the account, without a network, and where they see no other process. */
export class ServicePrograms implements ServiceVerbs {
  readonly #host: PrivilegedHost<ServicesConfig>;
  readonly #folder: ProgramFolder;
  readonly #containers: ServiceContainers;
  readonly #starter: ServiceStarter;
  readonly #recipes: ReadonlyMap<string, Recipe>;
  readonly #outputs = new ServiceOutputs();

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
    const service = serviceNamed(name);
    const master = await this.#folder.master(accountId, name);
    if (master?.isEnding === false) await this.#folder.setEnding(accountId, name);
    // its forwarder goes on meanwhile, or `running` would kill a container that stores what it has
    if (this.#isContainer(name)) this.#note({ accountId, name }, await this.#containers.remove(accountId, service));
    if (master !== undefined) {
      const pid = ownProcessId(masterPid(master));
      if (pid !== undefined) terminate(pid);
      for (const deadline = performance.now() + STOP_MS; isRunning(master.id); await delay(POLL_MS))
        if (performance.now() > deadline) await killMaster(master);
    }
    await this.#folder.clear(accountId, name);
    await rm(this.#folder.socket(accountId, service), { force: true });
    return this.#outputs.ofThisStart(accountId, service, PRINTED).trim();
  }

  async log(what: unknown): Promise<readonly string[]> {
    const given = readMembers(what, ['accountId', 'service', 'sites']);
    const [accountId, recipe, sites] = [
      readId(given.accountId),
      this.#recipeNamed(given.service),
      readSites(given.sites),
    ];
    const now = 'image' in recipe.run ? await this.#containers.log(accountId, recipe.name, LOG_LINES) : '';
    const secrets = [...secretsIn(recipe), ...(sites === null ? [] : [sites.key])];
    return shownLines(`${this.#outputs.all(accountId, recipe.name)}\n${now}`, secrets);
  }

  async end(accountId: unknown): Promise<number> {
    const id = readId(accountId);
    this.#outputs.forget(id);
    const ended = await this.#folder.end(id);
    await this.#containers.remove(id, undefined, 0);
    return ended;
  }

  async running(accountId: unknown): Promise<readonly NamedProgram[]> {
    const id = accountId === null ? undefined : readId(accountId);
    // asked in the order in which a program starts, runs and ends, so that one that goes on meanwhile is found in the next
    const containers = await this.#containersOf(id);
    const areStarting = await Promise.all(containers.map((each) => this.#folder.isStarting(each)));
    const running = await this.#folder.running(id);
    const isSame = (one: NamedProgram) => (other: NamedProgram) =>
      one.accountId === other.accountId && one.name === other.name;
    const alone = containers.filter((each, i) => areStarting[i] === false && !running.some(isSame(each)));
    // all at once: each may take long to store its last
    await Promise.all(
      alone.map(async (each) => {
        if (!(await this.#folder.isEnding(each))) this.#note(each, await this.#containers.removeOne(each));
      }),
    );
    const whole = containers.filter((each) => each.isRunning);
    return running.filter((each) => !this.#isContainer(each.name) || whole.some(isSame(each)));
  }

  stored(): Promise<readonly StoredService[]> {
    return this.#containers.stored();
  }

  async folder(of: unknown): Promise<string> {
    const given = readMembers(of, ['accountId', 'name']);
    return this.#containers.folder(readId(given.accountId), readText(given.name, SERVICE));
  }

  async discard(what: unknown): Promise<void> {
    const given = readMembers(what, ['accountId', 'service']);
    const [accountId, service] = [
      readId(given.accountId),
      given.service === null ? undefined : readText(given.service, SERVICE),
    ];
    this.#outputs.forget(accountId, service);
    await this.#containers.discard(accountId, service);
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
    this.#outputs.begin(named.accountId, recipe.name);
    const socket = this.#folder.socket(named.accountId, recipe.name);
    await this.#folder.start(named, { settings: JSON.stringify(recipe.run), gid: owner.webGid ?? 0 }, async () => {
      const child = await this.#starter.start(named, recipe, { ...owner, socket });
      for (const output of [child.stdout, child.stderr])
        output?.setEncoding('utf8').on('data', (text: string) => this.#note(named, text));
      return child.once('error', (error) => this.#note(named, errorMessage(error)));
    });
  }

  #note({ accountId, name }: NamedProgram, text: string): void {
    this.#outputs.add(accountId, serviceNamed(name), text);
    this.#host.log.debug({ program: `${accountId}/${name}`, text }, 'a service printed');
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
