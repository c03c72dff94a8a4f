import { assertReloadable, type Config } from '../config/configuration.ts';
import { assertRootsSafe, openCore, type Core } from './core.ts';
import { HttpError } from '../errors.ts';
import { generate, type Entrance, type Generation, type Life } from './generation.ts';
import { Server } from '../http/server.ts';
import { Recurring } from '../kit/waiting/recurring.ts';
import { loadUws } from '../http/uws.ts';
import type { Log } from '../log.ts';
import type { NodeInfo } from '../contract/node-info.ts';
import type { SettingTrial } from '../contract/settings/effective-setting.ts';
import type { SettingValues } from '../contract/settings/stored-settings.ts';
import type { Address } from '../contract/route-spec.ts';
import { installedPlugins, isOn, type InstalledPlugin } from '../host/discovery.ts';
import type { PluginSet } from '../host/plugin-set.ts';
import { makeServerCertificate } from './data/server-certificate.ts';
import { ServingLock } from './data/serving-lock.ts';
import { Leadership } from '../workers/leadership.ts';
import type { Workers } from '../workers/workers.ts';
import { withStored, type Tried } from './stored-settings.ts';

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
  /** How often the files of the certificate are read again. */
  readonly certificateMs?: number;
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

/** The configuration of the files, and the settings of the store that lie over it. */
interface Origins {
  readonly files: Config;
  readonly stored: SettingValues;
}

/** A minute: programs that renew certificates do so days before they expire. */
const CERTIFICATE_MS = 60_000;

/** A node: the core, the plugins of the current configuration, and a server for each entrance. */
export class Hostkeep {
  readonly #life: Life;
  readonly #options: StartOptions;
  readonly #servers: readonly (Entrance & { readonly server: Server })[];
  readonly #lock: ServingLock | undefined;
  readonly #renewing: Recurring;
  #generation: Generation;
  #origins: Origins;
  /** The last change of the configuration, if it is in progress. */
  #changing: Promise<unknown> = Promise.resolve();
  /** Resolves when no former plugins finish requests any more. */
  #drained: Promise<unknown> = Promise.resolve();

  private constructor(
    life: Life,
    options: StartOptions,
    { generation, ...origins }: Origins & { readonly generation: Generation },
    lock: ServingLock | undefined,
  ) {
    this.#life = life;
    this.#options = options;
    this.#lock = lock;
    this.#generation = generation;
    this.#origins = origins;
    // without its table, which would keep the plugins of the first configuration
    this.#servers = generation.tables.map(({ table, ...entrance }) => ({
      ...entrance,
      server: this.#serverOf({ table, ...entrance }, generation.config),
    }));
    this.#renewing = new Recurring({
      run: () => this.#inTurn(() => this.#renewCertificates()),
      failed: (err) => {
        if (!life.isStopping) life.log.error({ err }, 'the certificate in the files cannot be used');
      },
      everyMs: options.certificateMs ?? CERTIFICATE_MS,
    });
  }

  /** Starts a node; see `StartOptions.listen`. Rejects if another process serves the data folder. */
  static async start(config: Config, log: Log, options: StartOptions = {}): Promise<Hostkeep> {
    loadUws(); // fails before anything is created or migrated
    // Imported while the store is opened. An import that fails does so again, and is reported, when the plugin is loaded.
    const installed = options.plugins ?? installedPlugins();
    // reported when it is loaded
    for (const plugin of installed) if (isOn(plugin, config)) plugin.load().catch(() => undefined);
    const { shared } = options;
    const isGuarded = options.listen === 'never' || shared !== undefined;
    const lock = isGuarded ? undefined : await ServingLock.acquire(config.data);
    let hostkeep: Hostkeep | undefined;
    let core: Core | undefined;
    try {
      const place = shared && { workers: shared.workers, leadership: await Leadership.among(config.data, log) };
      core = await openCore(config, log, place);
      const isServing = options.listen !== 'never';
      if (isServing) await assertRootsSafe(core);
      if (isServing) await makeServerCertificate(config.tls);
      const { config: whole, values: stored } = await withStored(config, installed, { store: core.store, log });
      if (whole !== config) log.level = whole.log.level;
      let begin: (started: Hostkeep) => void = () => undefined;
      const started = new Promise<Hostkeep>((resolve) => (begin = resolve)); // plugins that are set up may ask before
      const applyStored = async (trial?: SettingTrial) => (await started).#applyStored(trial);
      const isDemo = options.isDemo === true;
      const life = { core, log, isDemo, isServing, ports: {}, isStopping: false, applyStored };
      const generation = await generate(life, whole, installed);
      hostkeep = new Hostkeep(life, options, { generation, files: config, stored }, lock);
      begin(hostkeep);
      if (options.listen === undefined) await hostkeep.listen();
      return hostkeep;
    } catch (error) {
      await (hostkeep ?? core)?.close();
      if (hostkeep === undefined) await lock?.release();
      throw error;
    }
  }

  get core(): Core {
    return this.#life.core;
  }

  get node(): NodeInfo {
    return this.#generation.node;
  }

  get plugins(): PluginSet {
    return this.#generation.plugins;
  }

  /** The ports in use; none before `listen`. */
  get ports(): Readonly<Partial<Record<Address, number>>> {
    return this.#life.ports;
  }

  url(address: Address): string {
    return this.node.url(address);
  }

  /** Opens both addresses. Rejects if a port is taken. */
  async listen(): Promise<void> {
    const { shared } = this.#options;
    const ports: Partial<Record<Address, number>> = { ...shared?.ports };
    const outer = this.#servers.filter(({ isInner }) => !isInner);
    if (shared?.isFirst !== false)
      for (const { address, server } of outer) {
        const free = await server.assertPortFree(ports[address]);
        if (shared !== undefined) ports[address] = free; // uWS shares no port that the system chose for it
      }
    const { fleet } = this.node;
    for (const { address, isInner, server } of this.#servers)
      if (isInner && fleet !== undefined) server.listenAt(fleet.sockets[address]);
    for (const { address, server } of outer) this.#life.ports[address] = server.listen(ports[address]);
    this.core.sessions.ttlSeconds = this.node.config.token.ttl_seconds;
    this.#renewing.wake();
    const urls = { base_url: this.url('user'), admin_url: this.url('admin') };
    this.#life.log.info({ ...urls, ...(shared && { worker: shared.workers.number }) }, 'listening');
  }

  /**
   * Replaces the configuration, and rereads the keys and the certificate. Sets up the new plugins while the old ones
   * run, then switches all new requests at once; the old plugins finish the requests that they accepted. No connection
   * is closed. If this rejects, the old configuration stays. Changes of the data folder, the addresses and the names of
   * TLS files are rejected, because they need a restart. Calls follow each other.
   */
  async reconfigure(config: Config): Promise<void> {
    const { drained } = await this.#inTurn(async () => {
      assertReloadable(this.#generation.config, config);
      await this.#reloadBroker();
      return this.#change(config);
    });
    await drained;
  }

  /** See `NodeInfo.applyStored`. Does not wait for accepted requests: one of them may be what asks for it. */
  async #applyStored(trial?: SettingTrial): Promise<void> {
    await this.#inTurn(async () => {
      const { files, stored: values } = this.#origins;
      await this.#change(files, trial, true);
      try {
        await trial?.keep();
      } catch (error) {
        await this.#change(files, { values });
        throw error;
      }
    });
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(() => {
      if (this.#life.isStopping) throw new Error('the server is stopping');
      return change();
    });
    this.#changing = done.catch(() => undefined); // for the caller that it concerns, not for the next one
    return done;
  }

  /**
   * Resolves when new requests get the new plugins; `drained`, when the old ones are closed. With `mayStay`, plugins stay where no
   * setting of the store has changed; what files name, such as certificates, is not looked at then.
   */
  async #change(files: Config, trial?: Tried, mayStay = false): Promise<{ readonly drained?: Promise<unknown> }> {
    const [old, { log, core }] = [this.#generation, this.#life];
    const installed = this.#options.plugins ?? installedPlugins();
    const { config, values: stored } = await withStored(files, installed, { store: core.store, log, trial });
    if (mayStay && isSame(stored, this.#origins.stored)) return {};
    core.keys.reload();
    const next = await generate(this.#life, config, installed);
    try {
      if (trial?.changed !== undefined) assertNoneLost(old.plugins, next.plugins);
      await this.#renewCertificates();
    } catch (error) {
      await next.plugins.close();
      throw error;
    }
    this.#generation = next;
    this.#origins = { files, stored };
    log.level = config.log.level;
    core.sessions.ttlSeconds = config.token.ttl_seconds;
    const idle = next.tables.map(({ address, isInner, table }) =>
      this.#servers.find((each) => each.address === address && each.isInner === isInner)?.server.use(table),
    );
    const drained = Promise.all(idle).then(() => old.plugins.close());
    const closed = drained.catch((error: unknown) => log.error({ err: error }, 'former plugins were not closed'));
    this.#drained = Promise.all([this.#drained, closed]);
    return { drained };
  }

  /** Rejects if the files have no usable certificate; that of before stays. */
  async #renewCertificates(): Promise<void> {
    for (const { isInner, server } of this.#servers) if (!isInner) await server.renewCertificate();
  }

  /** Closes after an error that nothing handled: answers requests in progress with 500, each logged with its route. */
  async abandon(cause: unknown): Promise<void> {
    for (const { server } of this.#servers) server.fail(cause);
    await this.close();
  }

  async close(): Promise<void> {
    this.#life.isStopping = true;
    await Promise.all([this.#renewing.close(), ...this.#servers.map(({ server }) => server.close())]);
    await this.#changing;
    await this.#drained;
    await this.#generation.plugins.close();
    await this.core.close();
    await this.#lock?.release();
  }

  /** The broker goes first, because the new plugins use it. One that is not there reads its settings when it starts. */
  async #reloadBroker(): Promise<void> {
    try {
      await this.core.broker?.reload();
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'broker_unavailable')) throw error;
      this.#life.log.warn({ err: error }, 'the broker was not asked to read its settings again');
    }
  }

  #serverOf({ address, isInner, table }: Generation['tables'][number], { tls, ...config }: Config): Server {
    const { log } = this.#life;
    const { sessions, locales } = this.core;
    const listen = address === 'user' ? config.listen : config.admin_listen;
    return new Server(
      {
        address,
        listen,
        tls: isInner || this.#options.listen === 'never' ? { ...tls, cert: '', key: '' } : tls,
        sessions,
        log,
        textsOf: (locale, error) => locales.errorTexts(locale, error),
        languageOf: (acceptLanguage) => locales.preferred(acceptLanguage),
        checkReplies: this.#options.checkReplies === true,
      },
      table,
    );
  }
}

/** Whether stored settings, which are few, are the same. */
const isSame = (a: SettingValues, b: SettingValues): boolean => JSON.stringify([...a]) === JSON.stringify([...b]);

/** Throws if a plugin that was available is not any more. */
function assertNoneLost(before: PluginSet, after: PluginSet): void {
  const lacking = before.statuses.filter(({ state }) => state === 'unavailable').map(({ name }) => name);
  const lost = after.statuses.find(({ name, state }) => state === 'unavailable' && !lacking.includes(name));
  if (lost !== undefined) throw new Error(`the plugin ${lost.name} does not start: ${lost.reason}`);
}
