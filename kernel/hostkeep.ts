import { accountEvents } from './identity/account-events.ts';
import { serverEvents } from './storage/server-events.ts';
import { assertReloadable, type Config } from './config/configuration.ts';
import { openCore, type Core } from './core.ts';
import { HttpError, type ErrorCode } from './errors.ts';
import { FleetRoutes } from './http/fleet-routes.ts';
import { routeCalls } from './http/route-calls.ts';
import { RoutingTable } from './http/routing-table.ts';
import { Server } from './http/server.ts';
import { loadUws } from './http/uws.ts';
import type { Log } from './log.ts';
import type { FleetPlace, NodeInfo } from './plugin-api/node-info.ts';
import type { Address } from './plugin-api/route-spec.ts';
import { backgroundOf } from './plugin-host/background.ts';
import { installedPlugins, isOn, type InstalledPlugin } from './plugin-host/discovery.ts';
import { effectiveSettings } from './plugin-host/effective-settings.ts';
import { examine } from './plugin-host/examination.ts';
import { PluginSet } from './plugin-host/plugin-set.ts';
import { privilegesOf } from './plugin-host/privileges.ts';
import { clockSlackMs, readMembership, socketsOf, writeMembership, type Membership } from './storage/membership.ts';
import { ServingLock } from './storage/serving-lock.ts';
import { Leadership } from './workers/leadership.ts';
import type { Workers } from './workers/workers.ts';
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
  /** Of a process that serves together with others; their supervisor holds the lock of the data folder. */
  readonly shared?: Shared;
}

interface Shared {
  readonly workers: Workers;
  /** Those that the node has; none for its first worker. */
  readonly ports: Readonly<Partial<Record<Address, number>>>;
  /** Whether no other worker serves, so that the ports must be free. */
  readonly isFirst: boolean;
}

/** Where requests arrive: both addresses, and for each a socket for those that another node of the fleet admitted. */
type Entrance = Address | `inner-${Address}`;

/** One configuration in force, with its plugins and routing tables. */
interface Generation {
  readonly config: Config;
  readonly plugins: PluginSet;
  readonly tables: Readonly<Record<Entrance, RoutingTable>>;
  readonly node: NodeInfo;
}

/** What changes while a node runs, and outlives a configuration. */
interface Running {
  /** The ports in use, which the system chooses if the configuration says 0. */
  readonly ports: Partial<Record<Address, number>>;
  isStopping: boolean;
}
const ADDRESSES = ['user', 'admin'] as const;
const INNER = { 'inner-user': 'user', 'inner-admin': 'admin' } as const;

/** A node: the core, the plugins of the current configuration, and a server for each address. */
export class Hostkeep {
  readonly core: Core;
  readonly #log: Log;
  readonly #options: StartOptions;
  readonly #running: Running;
  readonly #servers: Readonly<Record<Address, Server>>;
  /** None of a node by itself. */
  readonly #inner: readonly (readonly [entrance: keyof typeof INNER, server: Server])[];
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
    const inner = core.membership === undefined ? [] : (Object.keys(INNER) as (keyof typeof INNER)[]);
    this.#inner = inner.map((entrance) => [entrance, this.#server(entrance, generation)]);
  }

  /** Starts a node; see `StartOptions.listen`. Rejects if another process serves the data folder. */
  static async start(config: Config, log: Log, options: StartOptions = {}): Promise<Hostkeep> {
    loadUws(); // fails before anything is created or migrated
    // Imported while the store is opened. An import that fails does so again, and is reported, when the plugin is loaded.
    const installed = options.plugins ?? installedPlugins();
    for (const plugin of installed) if (isOn(plugin, config)) plugin.load().catch(() => undefined);
    const { shared } = options;
    const isGuarded = options.listen === 'never' || shared !== undefined;
    const lock = isGuarded ? undefined : await ServingLock.acquire(config.data);
    const running: Running = { ports: {}, isStopping: false };
    let hostkeep: Hostkeep | undefined;
    let core: Core | undefined;
    try {
      const place = shared && { workers: shared.workers, leadership: await Leadership.among(config.data, log) };
      core = await openCore(config, log, place);
      if (options.listen !== 'never') await assertRootsSafe(core);
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

  /** The ports in use; none before `listen`. */
  get ports(): Readonly<Partial<Record<Address, number>>> {
    return this.#running.ports;
  }

  url(address: Address): string {
    return this.node.url(address);
  }

  /** Opens both addresses. Rejects if a port is taken. */
  async listen(): Promise<void> {
    const { shared } = this.#options;
    const ports: Partial<Record<Address, number>> = { ...shared?.ports };
    if (shared?.isFirst !== false)
      for (const address of ADDRESSES) {
        const free = await this.#servers[address].assertPortFree(ports[address]);
        if (shared !== undefined) ports[address] = free; // uWS shares no port that the system chose for it
      }
    const { fleet } = this.node;
    for (const [entrance, server] of this.#inner)
      if (fleet !== undefined) server.listenAt(fleet.sockets[INNER[entrance]]);
    for (const address of ADDRESSES) this.#running.ports[address] = this.#servers[address].listen(ports[address]);
    this.core.sessions.ttlSeconds = this.node.config.token.ttl_seconds;
    const urls = { base_url: this.url('user'), admin_url: this.url('admin') };
    this.#log.info({ ...urls, ...(shared && { worker: shared.workers.number }) }, 'listening');
  }

  /**
   * Replaces the configuration, and rereads the keys and the certificate. Sets up the new plugins while the old ones
   * run, then switches all new requests at once; the old plugins finish the requests that they accepted. No connection
   * is closed. If this rejects, the old configuration stays. Changes of the data folder, the addresses and the names of
   * TLS files are rejected, because they need a restart.
   */
  async reconfigure(config: Config): Promise<void> {
    const old = this.#generation;
    assertReloadable(old.config, config);
    await this.#reloadBroker();
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
    await Promise.all(this.#entrances.map(([entrance, server]) => server.use(next.tables[entrance])));
    await old.plugins.close();
  }

  /** Closes after an error that nothing handled: answers requests in progress with 500, each logged with its route. */
  async abandon(cause: unknown): Promise<void> {
    for (const [, server] of this.#entrances) server.fail(cause);
    await this.close();
  }

  async close(): Promise<void> {
    this.#running.isStopping = true;
    await Promise.all(this.#entrances.map(([, server]) => server.close()));
    await this.#generation.plugins.close();
    await this.core.close();
    await this.#lock?.release();
  }

  get #entrances(): readonly (readonly [Entrance, Server])[] {
    return [...ADDRESSES.map((address) => [address, this.#servers[address]] as const), ...this.#inner];
  }

  /** The broker goes first, because the new plugins use it. One that is not there reads its settings when it starts. */
  async #reloadBroker(): Promise<void> {
    try {
      await this.core.broker?.reload();
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'broker_unavailable')) throw error;
      this.#log.warn({ err: error }, 'the broker was not asked to read its settings again');
    }
  }

  #server(entrance: Entrance, { config, tables }: Generation): Server {
    const { sessions, locales } = this.core;
    const isInner = entrance in INNER;
    const address = isInner ? INNER[entrance as keyof typeof INNER] : (entrance as Address);
    const listen = address === 'user' ? config.listen : config.admin_listen;
    const titleOf = (locale: string, code: ErrorCode) => locales.errorTitle(locale, code);
    return new Server(
      {
        address,
        listen,
        tls: isInner ? { ...config.tls, cert: '', key: '' } : config.tls,
        sessions,
        log: this.#log,
        titleOf,
        languageOf: (acceptLanguage) => locales.preferred(acceptLanguage),
        checkReplies: this.#options.checkReplies === true,
      },
      tables[entrance],
    );
  }
}

/** Refuses a setting `files_root` with which a customer could put another folder in the place of the own one. */
async function assertRootsSafe({ jobs, accounts }: Core): Promise<void> {
  const [unsafe] = await jobs.unsafeParents(() => accounts.usernamesOfHere());
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
  const { store, local, events, accounts, credentials, plans, sessions, tokens, passwords, keys, locales, jobs } = core;
  const plugins = new PluginSet(log, core.answers);
  const installed = options.plugins ?? installedPlugins();
  const node: NodeInfo = {
    version: VERSION,
    isDemo: options.isDemo === true,
    fleet: core.membership && fleetPlaceOf(core.membership, config.data, core.workers.number),
    clockSlackMs: clockSlackMs(core.membership),
    isServing: options.listen !== 'never',
    isStopping: () => running.isStopping,
    config,
    locales,
    routes: () => plugins.infos,
    plugins: () => plugins.statuses,
    events: () => ({ ...accountEvents, ...serverEvents, ...plugins.events }),
    usableFeatures: ({ features }) => [...features].filter((name) => plugins.features.has(name)).toSorted(),
    url: (address) => urlOf(config, address, running.ports[address]),
    examine: () => examine({ core, node, gather: plugins.gather }),
    settings: async () => {
      const on = installed.filter((each) => isOn(each, config));
      return effectiveSettings(config, await Promise.all(on.map((each) => each.load())));
    },
  };
  try {
    await plugins.load(installed, config, {
      store,
      local,
      events,
      jobs,
      workers: core.workers,
      background: backgroundOf(core.leadership),
      privileged: privilegesOf({ broker: core.broker, jobs, log }),
      node,
      routes: routeCalls,
      identity: { accounts, credentials, plans, sessions, tokens, passwords, keys },
    });
    const here = core.membership?.name ?? '';
    const outer = new FleetRoutes(here, accounts, plugins.forward);
    const inner = new FleetRoutes(here, accounts); // what another node sent goes no further
    const tableOf = (address: Address, fleet: FleetRoutes) => {
      const routes = plugins.routes.filter((route) => route.info.address === address);
      return new RoutingTable(config, address, routes, fleet, fleet === inner);
    };
    const tables = {
      user: tableOf('user', outer),
      admin: tableOf('admin', outer),
      'inner-user': tableOf('user', inner),
      'inner-admin': tableOf('admin', inner),
    };
    return { config, plugins, tables, node };
  } catch (error) {
    await plugins.close();
    throw error;
  }
}

function fleetPlaceOf(atStart: Membership, data: string, worker: number): FleetPlace {
  const membership = () => readMembership(data) ?? atStart;
  return {
    name: atStart.name,
    sockets: socketsOf(data, worker),
    membership,
    renew: (certificate) => writeMembership(data, { ...membership(), certificate }),
  };
}

function urlOf(config: Config, address: Address, port: number | undefined): string {
  const { host, port: configured } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
  return `${config.tls.cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port ?? configured}`;
}
