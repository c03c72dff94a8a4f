import { join } from 'node:path';
import { Accounts } from './accounts.ts';
import { Keys } from './auth.ts';
import { projectDir, readJson, splitHostPort, type Config } from './config.ts';
import { EventLog } from './events.ts';
import { findPlugins, PluginSet } from './loader.ts';
import { Locales } from './locales.ts';
import type { Log } from './log.ts';
import type { NodeInfo } from './node.ts';
import { Passwords } from './passwords.ts';
import { Plans, type PlanLimits } from './plans.ts';
import type { Address, Plugin } from './plugin.ts';
import { Revision } from './revision.ts';
import { Server } from './server.ts';
import { Sessions } from './sessions.ts';
import { Store } from './store.ts';

export const VERSION = String(readJson(join(projectDir, 'package.json'))['version']);

/** What outlives a change of the configuration: the store, and who may do what. */
export interface Core {
  readonly store: Store;
  readonly revision: Revision;
  readonly locales: Locales;
  readonly events: EventLog;
  readonly plans: Plans;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly keys: Keys;
  close(): Promise<void>;
}

/** Opens the data folder, making it where it is missing, with the shipped plans in it. */
export async function openCore(config: Config, log: Log): Promise<Core> {
  const store = await Store.open(join(config.data, 'hostkeep.db'));
  await store.migrate('kernel', join(projectDir, 'kernel/migrations'));
  const keys = Keys.open(config.data);
  const locales = new Locales();
  const revision = new Revision(store, config.data, log);
  const plans = new Plans(store, revision, locales.featureNames);
  const events = new EventLog(store);
  const filesRoot = (username: string) => config.files_root.replaceAll('{data}', config.data).replaceAll('{username}', username);
  const accounts = new Accounts({ store, revision, plans, events, filesRoot });
  const sessions = new Sessions({ store, revision, accounts, events, keys, log });
  const passwords = new Passwords();
  await shipPlans(store, plans);
  await revision.follow();
  const close = async () => {
    revision.close();
    sessions.close();
    await passwords.close();
    await store.close();
  };
  return { store, revision, locales, events, plans, accounts, sessions, passwords, keys, close };
}

/** The plans of `config/plans.json` are put into an empty store; from then on they are the operator's. */
async function shipPlans(store: Store, plans: Plans): Promise<void> {
  if ((await store.get('select 1 from plans')) !== undefined) return;
  const shipped = readJson(join(projectDir, 'config/plans.json')) as Record<string, PlanLimits & { features: string[] }>;
  for (const [name, { features, ...limits }] of Object.entries(shipped)) await plans.create(name, limits, features);
}

export interface StartOptions {
  /** Instead of those in the folder `plugins`. */
  readonly plugins?: readonly Plugin[];
  readonly checkReplies?: boolean;
  /** false leaves the addresses closed until `listen` is called. */
  readonly listen?: boolean;
}

/** Plugins and the two servers under one configuration. */
interface Generation {
  readonly config: Config;
  readonly plugins: PluginSet;
  readonly servers: readonly Server[];
  readonly node: NodeInfo;
}

/** A running Hostkeep. */
export class Hostkeep {
  readonly core: Core;
  readonly #log: Log;
  readonly #options: StartOptions;
  #generation: Generation;

  private constructor(core: Core, log: Log, options: StartOptions, generation: Generation) {
    this.core = core;
    this.#log = log;
    this.#options = options;
    this.#generation = generation;
  }

  /** Resolves once both addresses answer, unless they are to stay closed. */
  static async start(config: Config, log: Log, options: StartOptions = {}): Promise<Hostkeep> {
    const core = await openCore(config, log);
    try {
      const generation = await generate(core, config, log, options);
      const hostkeep = new Hostkeep(core, log, options, generation);
      if (options.listen !== false) hostkeep.listen();
      return hostkeep;
    } catch (error) {
      await core.close();
      throw error;
    }
  }

  /** Opens both addresses. Throws when a port is taken. */
  listen(): void {
    this.#listen(this.#generation);
  }

  get node(): NodeInfo {
    return this.#generation.node;
  }

  get plugins(): PluginSet {
    return this.#generation.plugins;
  }

  url(address: Address): string {
    return this.node.url(address);
  }

  /**
   * Puts another configuration in force: its plugins are set up beside the running ones, then the addresses change
   * hands, and the old ones answer what they accepted. A configuration that fails leaves everything as it was.
   * The data folder cannot change while running.
   */
  async reconfigure(config: Config): Promise<void> {
    const old = this.#generation;
    if (config.data !== old.config.data) throw new Error('the data folder cannot change while running');
    this.core.keys.reload();
    const next = await generate(this.core, config, this.#log, this.#options);
    for (const server of old.servers) server.stopListening();
    try {
      this.#listen(next);
    } catch (error) {
      this.#listen(old);
      await closeGeneration(next);
      throw error;
    }
    this.#generation = next;
    await closeGeneration(old);
  }

  async close(): Promise<void> {
    await closeGeneration(this.#generation);
    await this.core.close();
  }

  #listen({ servers, node, config }: Generation): void {
    this.core.sessions.ttlSeconds = config.token.ttl_seconds;
    this.#log.level = config.log.level;
    for (const server of servers) server.listen();
    this.#log.info({ base_url: node.url('user'), admin_url: node.url('admin') }, 'listening');
  }
}

async function generate(core: Core, config: Config, log: Log, options: StartOptions): Promise<Generation> {
  const { store, events, accounts, plans, sessions, passwords, keys, locales } = core;
  const plugins = new PluginSet(log);
  const scheme = config.tls.cert === '' ? 'http' : 'https';
  const servers = new Map<Address, Server>();
  const node: NodeInfo = {
    version: VERSION, config, locales, routes: () => plugins.infos, plugins: () => plugins.statuses,
    url: (address) => {
      const { host, port } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
      return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${servers.get(address)?.port ?? port}`;
    },
  };
  try {
    await plugins.load(options.plugins ?? (await findPlugins()), config, { store, events, node, directory: { accounts, plans, sessions, passwords, keys } });
    for (const address of ['user', 'admin'] as const) {
      const routes = plugins.routes.filter((route) => route.info.addresses.includes(address));
      servers.set(address, new Server({ config, address, routes, sessions, log, titleOf: (locale, code) => locales.errorTitle(locale, code), checkReplies: options.checkReplies === true }));
    }
    return { config, plugins, servers: [...servers.values()], node };
  } catch (error) {
    await plugins.close();
    throw error;
  }
}

async function closeGeneration({ servers, plugins }: Generation): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
  await plugins.close();
}
