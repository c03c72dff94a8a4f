import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../kernel/contract/plugin.ts';
import { findWebServer } from '../../kernel/contract/points/web-server-part.ts';
import type { SiteCache } from '../../kernel/areas/sites/site-cache.ts';
import { inTurn } from '../../kernel/contract/workers.ts';
import { accountSocket } from '../../kernel/kit/net/account-socket.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type askService from './ask-job.ts';
import { fail } from './errors.ts';
import type makeFolder from './folder-job.ts';
import { LARGEST_MIB, programName, serviceNamed, serviceSocket, type ServiceSize } from './programs/service-program.ts';
import type { ServiceVerbs } from './programs/service-verbs.ts';
import type { Exchange, Recipe } from './recipes.ts';
import type { Service, ServicesConfig } from './schema.ts';
import { listServices, switchOff, switchOn } from './store.ts';

const JOB = { beside: import.meta.url, timeoutMs: 5000, tooMuch: 'files_unavailable' } as const;
const FOLDER = defineJob<typeof makeFolder>({ ...JOB, script: 'folder-job' });
const ASK = defineJob<typeof askService>({ ...JOB, script: 'ask-job' });
/** How long a program may take until it answers. */
const START_MS = 10_000;
const POLL_MS = 50;

interface Change {
  readonly account: Account;
  /** As the client wrote it. */
  readonly service: string;
  readonly ip: string;
}
type EventType = 'service.switched_on' | 'service.switched_off' | 'service.flushed' | 'service.restarted';

/** The services of accounts: what they have switched on, and what runs. */
export class AccountServices {
  readonly #host: Host<ServicesConfig>;
  readonly #recipes: ReadonlyMap<string, Recipe>;
  readonly verbs: ServiceVerbs;

  /** `host`: with the folder in which the broker notes what runs. */
  constructor(host: Host<ServicesConfig>, recipes: ReadonlyMap<string, Recipe>, verbs: ServiceVerbs) {
    this.#host = host;
    this.#recipes = recipes;
    this.verbs = verbs;
  }

  /** Returns the services that an account may have, by name. */
  async list(account: Account): Promise<Service[]> {
    const on = await listServices(this.#host.store, account.id);
    const own = [...this.#recipes.values()].filter(({ name }) => account.features.has(name));
    return Promise.all(own.map((recipe) => this.#shown(account, recipe, on.has(recipe.name))));
  }

  /** Errors: 403 `feature_disabled`; 404 `service_not_found`; 502 `service_failed`; those of jobs and of the broker. */
  switch({ account, service, ip }: Change, isOn: boolean): Promise<Service> {
    const recipe = this.#recipeFor(account, service);
    return this.#inTurn(account, async () => {
      const { store, identity } = this.#host;
      const wasOn = (await listServices(store, account.id)).has(recipe.name);
      // of a suspended account, which comes from an archive, it begins once that is open
      if (isOn && identity.accounts.isOpenHere(account)) await this.#start(account, recipe);
      if (wasOn !== isOn)
        await store.write(async (tx) => {
          await this.#host.identity.accounts.assertExists(tx, account);
          await (isOn ? switchOn : switchOff)(tx, { accountId: account.id, service: recipe.name });
          const type = isOn ? 'service.switched_on' : 'service.switched_off';
          const text = `switched ${recipe.title} ${isOn ? 'on' : 'off'}`;
          await this.#host.events.record(tx, { type, account, text, ip, data: told(recipe) });
        });
      if (!isOn) {
        await this.#stop(account, recipe.name);
        await this.verbs.discard({ accountId: account.id, service: recipe.name });
        if (wasOn) await this.#makeFolder(account, recipe); // without a socket
      }
      return this.#shown(account, recipe, isOn);
    });
  }

  /** Removes all that a service stores. Errors: 409 `service_off`; those of `switch`. */
  flush({ account, service, ip }: Change): Promise<Service> {
    const recipe = this.#recipeFor(account, service);
    return this.#inTurn(account, async () => {
      await this.#assertOn(account, recipe);
      let isEmpty = await this.#runs(account.id, await this.#nameFor(account, recipe));
      for (const exchange of recipe.flush) isEmpty &&= (await this.#ask(account, recipe, exchange)) !== null;
      if (!isEmpty) throw fail.service_failed(`${recipe.title} does not say that it is empty now`);
      await this.#record('service.flushed', `emptied ${recipe.title}`, { account, recipe, ip });
      return this.#shown(account, recipe, true);
    });
  }

  /** Errors: 409 `service_off`; those of `switch`. */
  restart({ account, service, ip }: Change): Promise<Service> {
    const recipe = this.#recipeFor(account, service);
    return this.#inTurn(account, async () => {
      await this.#assertOn(account, recipe);
      await this.#stop(account, recipe.name);
      await this.#start(account, recipe);
      await this.#record('service.restarted', `restarted ${recipe.title}`, { account, recipe, ip });
      return this.#shown(account, recipe, true);
    });
  }

  /** Resolves with the last that a service printed, also one that is off because it did not start. Errors: those of `switch`. */
  async log(account: Account, service: string): Promise<string[]> {
    const recipe = this.#recipeFor(account, service);
    const { sites } = await this.#sizeFor(account, recipe);
    const lines = await this.verbs.log({ accountId: account.id, service: recipe.name, sites });
    return lines.map((line) => line.replaceAll(account.filesRoot, '~')); // where accounts are kept is the operator's
  }

  /** Resolves with the name of a service's program by the plan of now; with `undefined` where it may not run at this node. */
  async wanted(account: Account | undefined, service: string): Promise<string | undefined> {
    const recipe = this.#allowed(account, service);
    return account && recipe && this.#nameFor(account, recipe);
  }

  /** Resolves with the cache before the sites of an account; see `SiteCaches`. */
  async cacheOf(account: Account): Promise<SiteCache | undefined> {
    for (const service of await listServices(this.#host.store, account.id)) {
      const recipe = this.#allowed(account, service);
      const sites = recipe && isCache(recipe) ? (await this.#sizeFor(account, recipe)).sites : null;
      if (sites === null) continue;
      const secretDigest = createHash('md5').update(sites.key).digest('base64url');
      return { socket: accountSocket(this.#host.config.run_folder, account.id, service), secretDigest };
    }
    return undefined;
  }

  /** Starts a service that is switched on, if it may still run. */
  revive(account: Account, service: string): Promise<void> {
    return this.#inTurn(account, async () => {
      const recipe = this.#recipes.get(service);
      if (recipe !== undefined && (await listServices(this.#host.store, account.id)).has(service))
        await this.#start(account, recipe);
    });
  }

  /** Removes what a service has stored unless it is switched on. */
  discardUnwanted(accountId: number, service: string): Promise<void> {
    return this.#inTurn({ id: accountId }, async () => {
      if (!(await listServices(this.#host.store, accountId)).has(service))
        await this.verbs.discard({ accountId, service });
    });
  }

  /** Stops a service unless it has been switched on meanwhile. */
  stopUnwanted(accountId: number, service: string): Promise<void> {
    return this.#inTurn({ id: accountId }, async () => {
      const { store, identity } = this.#host;
      const account = await identity.accounts.byId(accountId);
      const isOn = (await listServices(store, accountId)).has(service);
      if (!isOn || (await this.wanted(account, service)) === undefined) await this.#stop({ id: accountId }, service);
    });
  }

  /** Has a service answer. */
  async #start(account: Account, recipe: Recipe): Promise<void> {
    const { id, username } = account;
    const size = await this.#sizeFor(account, recipe);
    // one that runs keeps its socket
    if (!(await this.#runs(id, programName(recipe, size)))) await this.#makeFolder(account, recipe);
    const name = await this.verbs.start({ ...size, account: { id, username }, service: recipe.name });
    if (name !== programName(recipe, size)) throw fail.service_failed('the broker has other recipes: restart it');
    const deadline = performance.now() + START_MS;
    while ((await this.#ask(account, recipe, recipe.health)) === null) {
      const isLate = performance.now() > deadline;
      const runs = (!isLate || 'image' in recipe.run) && (await this.#runs(id, name));
      if (runs && isLate) break; // what is in an image may take a minute to start
      if (runs) await delay(POLL_MS);
      else {
        const printed = await this.verbs.stop({ accountId: id, name });
        const cause = new Error(printed || 'it printed nothing'); // for the log: it may name paths of the machine
        throw fail.service_failed(`${recipe.title} does not answer`, { cause });
      }
    }
    // it may have been suspended, removed or closed for its move meanwhile
    const { accounts } = this.#host.identity;
    if (!accounts.isOpenHere(await accounts.byUsername(username))) await this.verbs.end(id);
  }

  async #makeFolder(account: Account, { name, socket }: Recipe): Promise<void> {
    await this.#host.jobs.run(FOLDER, account, { name, socket }, { makesRoot: true });
  }

  async #stop({ id }: Pick<Account, 'id'>, service: string): Promise<void> {
    for (const program of await this.verbs.running(id))
      if (serviceNamed(program.name) === service) await this.verbs.stop(program);
  }

  async #runs(accountId: number, name: string): Promise<boolean> {
    return (await this.verbs.running(accountId)).some((each) => each.name === name);
  }

  async #shown(account: Account, recipe: Recipe, isOn: boolean): Promise<Service> {
    const size = await this.#sizeFor(account, recipe);
    const isThere = isOn && (await this.#runs(account.id, programName(recipe, size)));
    const { exchange, values } = recipe.figures;
    const figures = isThere ? await this.#ask(account, recipe, exchange, values) : null;
    return {
      service: recipe.name,
      title: recipe.title,
      is_installed: (await this.verbs.missing(recipe.name)) === null && (size.sites !== null || !isCache(recipe)),
      is_on: isOn,
      is_running: figures !== null,
      socket: isOn ? serviceSocket(account.filesRoot, recipe) : null,
      speaks_http: 'path' in recipe.health,
      keeps: 'image' in recipe.run && recipe.run.storage !== '',
      memory_mib: size.memoryMib,
      figures: figures as Service['figures'],
    };
  }

  /** Resolves with `null` if the service does not answer as its recipe says. */
  #ask(account: Account, { name, socket }: Recipe, exchange: Exchange, values = {}) {
    return this.#host.jobs.run(ASK, account, { recipe: { name, socket }, exchange, values });
  }

  /** Returns the recipe of a service if the account may run it at this node, by the plan of now. */
  #allowed(account: Account | undefined, service: string): Recipe | undefined {
    const isOpen = this.#host.identity.accounts.isOpenHere(account);
    return isOpen && account.features.has(service) ? this.#recipes.get(service) : undefined;
  }

  async #nameFor(account: Account, recipe: Recipe): Promise<string> {
    return programName(recipe, await this.#sizeFor(account, recipe));
  }

  async #sizeFor(account: Account, recipe: Recipe): Promise<ServiceSize> {
    const memoryMib = account.plan?.limits[recipe.memory_limit] || LARGEST_MIB;
    const server = isCache(recipe) ? await findWebServer(this.#host) : undefined;
    if (server?.name !== 'nginx') return { memoryMib, sites: null };
    const key = this.#host.identity.keys.derive(`cache before the sites of the account ${account.id}`);
    return { memoryMib, sites: { host: server.host, port: server.port, key } };
  }

  async #assertOn(account: Account, recipe: Recipe): Promise<void> {
    if (!(await listServices(this.#host.store, account.id)).has(recipe.name))
      throw fail.service_off(`switch ${recipe.title} on first`);
  }

  #recipeFor({ features }: Account, name: string): Recipe {
    const recipe = this.#recipes.get(name);
    if (recipe === undefined) throw fail.service_not_found('there is no such service');
    if (!features.has(name))
      throw refuse.feature_disabled(`the account lacks the feature ${name}`, { members: { feature: name } });
    return recipe;
  }

  #record(
    type: EventType,
    text: string,
    { account, recipe, ip }: Pick<Change, 'account' | 'ip'> & { readonly recipe: Recipe },
  ): Promise<void> {
    const event = { type, account, text, ip, data: told(recipe) };
    return this.#host.store.write((tx) => this.#host.events.record(tx, event));
  }

  /** Runs changes of an account's services one after another, in all workers. */
  #inTurn<T>({ id }: Pick<Account, 'id'>, change: () => Promise<T>): Promise<T> {
    return inTurn(this.#host.workers, `services ${id}`, change);
  }
}

/** Of events. */
const told = ({ name, title }: Recipe) => ({ service: name, title });

const isCache = ({ run }: Recipe): boolean => 'sites' in run && run.sites !== undefined;
