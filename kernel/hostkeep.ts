import type { Config } from './config/configuration.ts';
import { openCore, type Core } from './core.ts';
import type { ErrorCode } from './errors.ts';
import { RoutingTable } from './http/routing-table.ts';
import { Server } from './http/server.ts';
import { loadUws } from './http/uws.ts';
import type { Log } from './log.ts';
import type { NodeInfo } from './plugin-api/node-info.ts';
import type { Address } from './plugin-api/route-spec.ts';
import { installedPlugins, type InstalledPlugin } from './plugin-host/discovery.ts';
import { PluginSet } from './plugin-host/plugin-set.ts';
import { privilegesOf } from './plugin-host/privileges.ts';
import { ServingLock } from './storage/serving-lock.ts';
import { splitHostPort } from './system/host-port.ts';
import { VERSION } from './system/project-dir.ts';

interface StartOptions {
  /** Replaces the plugins in the folder `plugins`. */
  readonly plugins?: readonly InstalledPlugin[];
  readonly checkReplies?: boolean;
  /**
   * When both addresses are opened: by `start` unless given, `later` by `listen`, or `never`, for a node that only examines
   * its plugins while another process may serve the data folder.
   */
  readonly listen?: 'later' | 'never';
  readonly isDemo?: boolean;
}

/** One configuration in force, with its plugins and routing tables. */
interface Generation {
  readonly config: Config;
  readonly plugins: PluginSet;
  readonly tables: Readonly<Record<Address, RoutingTable>>;
  readonly node: NodeInfo;
}

/** What changes while a node runs, and outlives a configuration. */
interface Running {
  /** The ports in use, which the system chooses if the configuration says 0. */
  readonly ports: Partial<Record<Address, number>>;
  isStopping: boolean;
}
const ADDRESSES = ['user', 'admin'] as const;
/** Settings that only a restart changes. */
const FIXED = ['data', 'files_root', 'removed_root', 'ids', 'broker', 'listen', 'admin_listen', 'tls'] as const;

/** A node: the core, the plugins of the current configuration, and a server for each address. */
export class Hostkeep {
  readonly core: Core;
  readonly #log: Log;
  readonly #options: StartOptions;
  readonly #running: Running;
  readonly #servers: Readonly<Record<Address, Server>>;
  readonly #lock: ServingLock | undefined;
  #generation: Generation;

  private constructor(
    core: Core,
    log: Log,
    options: StartOptions,
    running: Running,
    generation: Generation,
    lock: ServingLock | undefined,
  ) {
    this.core = core;
    this.#lock = lock;
    this.#log = log;
    this.#options = options;
    this.#running = running;
    this.#generation = generation;
    this.#servers = { user: this.#server('user', generation), admin: this.#server('admin', generation) };
  }

  /** Starts a node; see `StartOptions.listen`. Rejects if another process serves the data folder. */
  static async start(config: Config, log: Log, options: StartOptions = {}): Promise<Hostkeep> {
    loadUws(); // fails before anything is created or migrated
    // Imported while the store is opened. An import that fails does so again, and is reported, when the plugin is loaded.
    const installed = options.plugins ?? installedPlugins();
    for (const plugin of installed) if (config.plugins[plugin.name] !== false) plugin.load().catch(() => undefined);
    const lock = options.listen === 'never' ? undefined : await ServingLock.acquire(config.data);
    const running: Running = { ports: {}, isStopping: false };
    let hostkeep: Hostkeep | undefined;
    let core: Core | undefined;
    try {
      core = await openCore(config, log);
      if (lock !== undefined) await assertRootsSafe(core);
      const generation = await generate(core, config, log, { ...options, plugins: installed }, running);
      hostkeep = new Hostkeep(core, log, options, running, generation, lock);
      if (options.listen === undefined) await hostkeep.listen();
      return hostkeep;
    } catch (error) {
      await (hostkeep ?? core)?.close();
      if (hostkeep === undefined) await lock?.release();
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

  /** Opens both addresses. Rejects if a port is taken. */
  async listen(): Promise<void> {
    for (const address of ADDRESSES) await this.#servers[address].assertPortFree();
    for (const address of ADDRESSES) this.#running.ports[address] = this.#servers[address].listen();
    this.core.sessions.ttlSeconds = this.node.config.token.ttl_seconds;
    this.#log.info({ base_url: this.url('user'), admin_url: this.url('admin') }, 'listening');
  }

  /**
   * Replaces the configuration, and rereads the keys and the certificate. Sets up the new plugins while the old ones
   * run, then switches all new requests at once; the old plugins finish the requests that they accepted. No connection
   * is closed. If this rejects, the old configuration stays. Changes of the data folder, the addresses and the names of
   * TLS files are rejected, because they need a restart.
   */
  async reconfigure(config: Config): Promise<void> {
    const old = this.#generation;
    const fixed = (each: Config) => JSON.stringify(FIXED.map((name) => each[name]));
    if (fixed(config) !== fixed(old.config))
      throw new Error(`changes of ${FIXED.slice(0, -1).join(', ')} and ${FIXED.at(-1)} need a restart`);
    this.core.keys.reload();
    const next = await generate(this.core, config, this.#log, this.#options, this.#running);
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

  /** Closes after an error that nothing handled: answers requests in progress with 500, each logged with its route. */
  async abandon(cause: unknown): Promise<void> {
    for (const address of ADDRESSES) this.#servers[address].fail(cause);
    await this.close();
  }

  async close(): Promise<void> {
    this.#running.isStopping = true;
    await Promise.all(ADDRESSES.map((address) => this.#servers[address].close()));
    await this.#generation.plugins.close();
    await this.core.close();
    await this.#lock?.release();
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
        languageOf: (acceptLanguage) => locales.preferred(acceptLanguage),
        checkReplies: this.#options.checkReplies === true,
      },
      tables[address],
    );
  }
}

/** Refuses a setting `files_root` with which a customer could put another folder in the place of the own one. */
async function assertRootsSafe({ jobs, accounts }: Core): Promise<void> {
  const [unsafe] = await jobs.unsafeParents(() => accounts.usernames());
  if (unsafe !== undefined)
    throw new Error(`${unsafe} belongs to, or may be changed by, other users, who could exchange the files_root in it`);
}

async function generate(
  core: Core,
  config: Config,
  log: Log,
  options: StartOptions,
  running: Running,
): Promise<Generation> {
  const { store, events, accounts, credentials, plans, sessions, passwords, keys, locales, jobs } = core;
  const plugins = new PluginSet(log);
  const node: NodeInfo = {
    version: VERSION,
    isDemo: options.isDemo === true,
    isServing: options.listen !== 'never',
    isStopping: () => running.isStopping,
    config,
    locales,
    routes: () => plugins.infos,
    plugins: () => plugins.statuses,
    usableFeatures: ({ features }) => [...features].filter((name) => plugins.features.has(name)).toSorted(),
    url: (address) => urlOf(config, address, running.ports[address]),
  };
  try {
    await plugins.load(options.plugins ?? installedPlugins(), config, {
      store,
      events,
      jobs,
      privileged: privilegesOf({ broker: core.broker, jobs, log }),
      node,
      identity: { accounts, credentials, plans, sessions, passwords, keys },
    });
    const tableOf = (address: Address) =>
      new RoutingTable(
        config,
        address,
        plugins.routes.filter((route) => route.info.address === address),
      );
    return { config, plugins, tables: { user: tableOf('user'), admin: tableOf('admin') }, node };
  } catch (error) {
    await plugins.close();
    throw error;
  }
}

function urlOf(config: Config, address: Address, port: number | undefined): string {
  const { host, port: configured } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
  return `${config.tls.cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port ?? configured}`;
}
