import { join } from 'node:path';
import { Accounts } from './accounts.ts';
import { Keys } from './auth.ts';
import { projectDir, readJson, splitHostPort, type Config } from './config.ts';
import type { ErrorCode } from './errors.ts';
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
import { RouteTable } from './table.ts';

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
  const { store, keys } = await openFiles(config.data);
  const locales = new Locales();
  const revision = new Revision(store, config.data, log);
  const events = new EventLog(store);
  const plans = new Plans(store, revision, events, locales.featureNames);
  const filesRoot = (username: string) =>
    config.files_root.replaceAll('{data}', config.data).replaceAll('{username}', username);
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

/** Neither the store nor its keys are made anew where the other one is there: both were, and one was lost. */
async function openFiles(data: string): Promise<{ store: Store; keys: Keys }> {
  const hadKeys = Keys.exist(data); // asked first, as they are made after the store where two processes start at once
  const store = await Store.open(join(data, 'hostkeep.db'));
  try {
    if (hadKeys && (await store.get('select 1 from sqlite_master')) === undefined) {
      throw new Error(
        `hostkeep.db in ${data} is empty, but keys.json is not: put a backup of hostkeep.db in place, or remove keys.json to begin anew`,
      );
    }
    await store.migrate('kernel', join(projectDir, 'kernel/migrations'));
    if ((await store.get('select 1 from accounts')) !== undefined && !Keys.exist(data)) {
      throw new Error(
        `keys.json is missing in ${data}: put that of a backup in place, or make a new one with \`hostkeep session rotate-key\`: tokens end then, and second factors are lost`,
      );
    }
    return { store, keys: Keys.open(data) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The plans of `config/plans.json` are put into an empty store; from then on they are the operator's. */
async function shipPlans(store: Store, plans: Plans): Promise<void> {
  if ((await store.get('select 1 from plans')) !== undefined) return;
  const shipped = readJson(join(projectDir, 'config/plans.json')) as Record<
    string,
    PlanLimits & { features: string[] }
  >;
  for (const [name, { features, ...limits }] of Object.entries(shipped)) await plans.create(name, limits, features);
}

export interface StartOptions {
  /** Instead of those in the folder `plugins`. */
  readonly plugins?: readonly Plugin[];
  readonly checkReplies?: boolean;
  /** false leaves the addresses closed until `listen` is called. */
  readonly listen?: boolean;
  readonly isDemo?: boolean;
}

/** The plugins of one configuration, and what they answer. */
interface Generation {
  readonly config: Config;
  readonly plugins: PluginSet;
  readonly tables: Readonly<Record<Address, RouteTable>>;
  readonly node: NodeInfo;
}

type Ports = Partial<Record<Address, number>>;
const ADDRESSES = ['user', 'admin'] as const;

/** A running Hostkeep. */
export class Hostkeep {
  readonly core: Core;
  readonly #log: Log;
  readonly #options: StartOptions;
  /** The ports in use, which the configuration leaves to the system where it says 0. */
  readonly #ports: Ports;
  readonly #servers: Readonly<Record<Address, Server>>;
  #generation: Generation;

  private constructor(core: Core, log: Log, options: StartOptions, ports: Ports, generation: Generation) {
    this.core = core;
    this.#log = log;
    this.#options = options;
    this.#ports = ports;
    this.#generation = generation;
    this.#servers = { user: this.#server('user', generation), admin: this.#server('admin', generation) };
  }

  /** Resolves once both addresses answer, unless they are to stay closed. */
  static async start(config: Config, log: Log, options: StartOptions = {}): Promise<Hostkeep> {
    const core = await openCore(config, log);
    const ports: Ports = {};
    let hostkeep: Hostkeep | undefined;
    try {
      hostkeep = new Hostkeep(core, log, options, ports, await generate(core, config, log, options, ports));
      if (options.listen !== false) await hostkeep.listen();
      return hostkeep;
    } catch (error) {
      await (hostkeep ?? core).close();
      throw error;
    }
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

  /** Opens both addresses. Rejects when a port is taken. */
  async listen(): Promise<void> {
    for (const address of ADDRESSES) await this.#servers[address].assertPortFree();
    for (const address of ADDRESSES) this.#ports[address] = this.#servers[address].listen();
    this.core.sessions.ttlSeconds = this.node.config.token.ttl_seconds;
    this.#log.info({ base_url: this.url('user'), admin_url: this.url('admin') }, 'listening');
  }

  /**
   * Puts another configuration in force: its plugins are set up beside the running ones and answer from one request
   * to the next, while the old ones finish what they accepted. No connection is closed. One that fails leaves all as
   * it was. A renewed certificate is taken from its files. Data folder, addresses and names of TLS files stay until a restart.
   */
  async reconfigure(config: Config): Promise<void> {
    const old = this.#generation;
    const fixed = (each: Config) =>
      JSON.stringify([each.data, each.files_root, each.listen, each.admin_listen, each.tls]);
    if (fixed(config) !== fixed(old.config))
      throw new Error('data, files_root, listen, admin_listen and tls change with a restart only');
    this.core.keys.reload();
    const next = await generate(this.core, config, this.#log, this.#options, this.#ports);
    try {
      for (const address of ADDRESSES) await this.#servers[address].renewCertificate();
    } catch (error) {
      await next.plugins.close();
      throw error;
    }
    this.#generation = next;
    this.#log.level = config.log.level;
    this.core.sessions.ttlSeconds = config.token.ttl_seconds;
    await Promise.all(ADDRESSES.map((address) => this.#servers[address].use(next.tables[address])));
    await old.plugins.close();
  }

  async close(): Promise<void> {
    await Promise.all(ADDRESSES.map((address) => this.#servers[address].close()));
    await this.#generation.plugins.close();
    await this.core.close();
  }

  #server(address: Address, { config, tables }: Generation): Server {
    const { sessions, locales } = this.core;
    const listen = address === 'user' ? config.listen : config.admin_listen;
    const titleOf = (locale: string, code: ErrorCode) => locales.errorTitle(locale, code);
    return new Server(
      {
        address,
        listen,
        tls: config.tls,
        sessions,
        log: this.#log,
        titleOf,
        checkReplies: this.#options.checkReplies === true,
      },
      tables[address],
    );
  }
}

async function generate(
  core: Core,
  config: Config,
  log: Log,
  options: StartOptions,
  ports: Ports,
): Promise<Generation> {
  const { store, events, accounts, plans, sessions, passwords, keys, locales } = core;
  const plugins = new PluginSet(log);
  const node: NodeInfo = {
    version: VERSION,
    isDemo: options.isDemo === true,
    config,
    locales,
    routes: () => plugins.infos,
    plugins: () => plugins.statuses,
    url: (address) => urlOf(config, address, ports),
  };
  try {
    await plugins.load(options.plugins ?? (await findPlugins()), config, {
      store,
      events,
      node,
      directory: { accounts, plans, sessions, passwords, keys },
    });
    const tableOf = (address: Address) =>
      new RouteTable(
        config,
        address,
        plugins.routes.filter((route) => route.info.addresses.includes(address)),
      );
    return { config, plugins, tables: { user: tableOf('user'), admin: tableOf('admin') }, node };
  } catch (error) {
    await plugins.close();
    throw error;
  }
}

function urlOf(config: Config, address: Address, ports: Ports): string {
  const { host, port: configured } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
  return `${config.tls.cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${ports[address] ?? configured}`;
}
