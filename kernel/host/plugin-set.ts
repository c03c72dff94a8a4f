import { withDeadline } from '../kit/waiting/deadline.ts';
import type { Config } from '../config/configuration.ts';
import { declareErrors, errorMessage, Unavailable } from '../errors.ts';
import type { CompiledRoute } from '../http/compiled-route.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { routeCalls } from '../http/route-calls.ts';
import type { Launcher } from '../kit/jobs/launcher.ts';
import type { Log } from '../log.ts';
import type { Forward } from '../contract/forwarding.ts';
import type { ExtensionPointName } from '../contract/extension-points.ts';
import type { NodeInfo, PluginStatus, RouteInfo } from '../contract/node-info.ts';
import type { Privileged, Verbs } from '../contract/privileged.ts';
import type { Host, Plugin, Setup } from '../contract/plugin.ts';
import type { RouteSpecs } from '../contract/route-spec.ts';
import type { EventTable } from '../store/events/event-types.ts';
import type { Leadership } from '../workers/leadership.ts';
import { startLeading } from './background.ts';
import { assertSections, inOrder, isOn, pluginSettings, type InstalledPlugin } from './discovery.ts';
import { privilegedVerbs } from './privileges.ts';
import { providedFeatures } from './provided-features.ts';
import { Gatherer } from './gatherer.ts';
import { HealthMonitor } from './health-monitor.ts';
import { migratePlugins } from './plugin-migrations.ts';
import { pluginRoutes, routesOfUnavailable } from './plugin-routes.ts';
import { assertNoClash } from './route-infos.ts';

const SETUP_MS = 30_000;
/** How long one release may take: what hangs in a plugin must not hold up a reload, nor the end of the node. */
const RELEASE_MS = 30_000;

/** The members of `Host` that all plugins share, and what makes those of each. */
interface CommonHost extends Omit<Host, 'config' | 'log' | 'gather' | 'peer' | 'onClose' | 'node'> {
  readonly node: NodeInfo;
  readonly leadership: Leadership;
  readonly broker: Launcher | undefined;
  readonly idempotency: Idempotency;
}

interface Loaded {
  readonly plugin: Plugin;
  readonly status: PluginStatus;
  readonly setup: Setup<RouteSpecs> | undefined;
  readonly releases: (() => void | Promise<void>)[];
  readonly routes: readonly CompiledRoute[];
}

/** The plugins of one configuration: sets them up, compiles their routes, and closes them. */
export class PluginSet {
  readonly routes: CompiledRoute[] = [];
  readonly #loaded = new Map<string, Loaded>();
  readonly #off: PluginStatus[] = [];
  readonly #gatherer: Gatherer;
  /** Calls that wait until all plugins are set up. */
  readonly #deferred = new Set<() => void | Promise<void>>();
  #isSetUp = false;
  readonly #health: HealthMonitor;
  #provided: ReadonlySet<string> = new Set();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
    this.#gatherer = new Gatherer(log, () => [...this.#loaded.values()]);
    this.#health = new HealthMonitor(this.gather, log);
  }

  get gather(): Gatherer['gather'] {
    return this.#gatherer.gather;
  }

  /** Returns the service of a plugin; `undefined` while that is off or unavailable. */
  service(name: string): unknown {
    return this.#loaded.get(name)?.setup?.service;
  }

  /** The features that are provided; see `NodeInfo.providedFeatures`. */
  get features(): ReadonlySet<string> {
    return this.#provided;
  }

  /** Whether a provided feature lacks nothing at the moment; see `NodeInfo.usableFeatures`. */
  allows(feature: string): boolean {
    return this.#health.allows(feature);
  }

  /** Sends requests to other nodes; `undefined` if no plugin that is ready can. */
  get forward(): Forward | undefined {
    return [...this.#loaded.values()].find(({ setup }) => setup?.forward !== undefined)?.setup?.forward;
  }

  get infos(): RouteInfo[] {
    return this.routes.map((route) => route.info);
  }

  /** The events of all plugins that are on. */
  get events(): EventTable {
    const tables: readonly EventTable[] = [...this.#loaded.values()].map(({ plugin }) => plugin.events ?? {});
    return Object.assign({}, ...tables) as EventTable;
  }

  get statuses(): PluginStatus[] {
    const statuses = [...[...this.#loaded.values()].map(({ status }) => this.#withHealth(status)), ...this.#off];
    return statuses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Sets up all plugins at once, but each after those that it uses. If one fails, its status holds the reason and its routes
   * answer 503. Rejects with `ConfigError` for invalid settings, and for those of unknown plugins.
   */
  async load(installed: readonly InstalledPlugin[], config: Config, host: CommonHost): Promise<void> {
    assertSections(installed, config);
    const on = installed.filter((each) => isOn(each, config));
    for (const plugin of installed) if (!on.includes(plugin)) this.#off.push(offStatus(plugin));
    const plugins = await Promise.all(on.map((each) => each.load()));
    for (const { errors } of plugins) if (errors !== undefined) declareErrors(errors);
    const settings = new Map(plugins.map((plugin) => [plugin.name, pluginSettings(plugin, config)]));
    await this.#startAll(inOrder(plugins), settings, host);
    this.#isSetUp = true;
    await Promise.all([...this.#deferred].map((work) => work()));
    assertNoClash(this.infos);
    this.#provided = providedFeatures(this.statuses, this.infos, config, host.node.locales.featureNames);
    this.#health.start();
  }

  async #startAll(ordered: readonly Plugin[], settings: ReadonlyMap<string, unknown>, host: CommonHost): Promise<void> {
    const unmigrated = await migratePlugins(ordered, host);
    const starting = new Map<string, Promise<void>>();
    for (const plugin of ordered) {
      const { name, uses = [] } = plugin;
      const others = uses.map((other) => starting.get(other));
      const start = () => this.#start(plugin, settings.get(name), host, unmigrated.get(name));
      starting.set(name, Promise.all(others).then(start));
    }
    const results = await Promise.allSettled(starting.values()); // none may be starting when others are closed
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    this.#arrange(ordered);
  }

  /** Closes all plugins in the reverse order of their start. Logs failures and goes on. */
  async close(): Promise<void> {
    this.#health.close();
    for (const { plugin, releases } of [...this.#loaded.values()].toReversed()) await this.#release(plugin, releases);
  }

  #withHealth(status: PluginStatus): PluginStatus {
    const lack = status.state === 'ready' ? this.#health.of(status.name) : undefined;
    if (lack === undefined) return status;
    const { detail: reason, remedy } = lack;
    return { ...status, state: 'degraded', reason, ...(remedy !== undefined && { remedy }) };
  }

  /** Puts plugins, which started in any order, into the order in which they use each other. */
  #arrange(ordered: readonly Plugin[]): void {
    for (const { name } of ordered) {
      const loaded = this.#loaded.get(name);
      if (loaded === undefined) continue;
      this.#loaded.delete(name);
      this.#loaded.set(name, loaded);
      this.routes.push(...loaded.routes);
    }
  }

  async #start(plugin: Plugin, config: unknown, common: CommonHost, unmigrated: unknown): Promise<void> {
    const releases: (() => void | Promise<void>)[] = [];
    try {
      if (unmigrated !== undefined) throw unmigrated;
      const setup = await withDeadline(
        Promise.resolve(plugin.setup(this.#hostOf(plugin, config, common, releases))),
        SETUP_MS,
      );
      const routes = pluginRoutes(plugin, config, setup, common.idempotency, common.identity.sessions);
      const provides = Object.keys(setup.provides ?? {}) as ExtensionPointName[];
      const status = { ...identityOf(plugin), state: 'ready', provides } as const;
      this.#loaded.set(plugin.name, { plugin, setup, releases, routes, status });
    } catch (error) {
      await this.#release(plugin, releases);
      const known = error instanceof Unavailable ? error : undefined;
      const reason = errorMessage(error);
      this.#log[known === undefined ? 'error' : 'warn'](
        { plugin: plugin.name, ...(known === undefined && { err: error }) },
        `plugin ${plugin.name} is not available: ${reason}`,
      );
      const routes = routesOfUnavailable(plugin, config);
      const { keepsByName = false } = plugin;
      const remedy = known?.remedy === undefined ? {} : { remedy: known.remedy };
      const status = {
        ...identityOf(plugin),
        state: 'unavailable',
        keepsByName,
        provides: [],
        reason,
        ...remedy,
      } as const;
      this.#loaded.set(plugin.name, { plugin, setup: undefined, releases: [], routes, status });
    }
  }

  #hostOf(plugin: Plugin, config: unknown, common: CommonHost, releases: (() => void | Promise<void>)[]): Host {
    const closing = new AbortController();
    releases.push(() => closing.abort());
    const log = this.#log.child({ plugin: plugin.name });
    const onClose: Host['onClose'] = (release) => void releases.push(release);
    const { node, leadership, broker, idempotency: _idempotency, ...shared } = common;
    return {
      ...shared,
      config,
      node: Object.assign(Object.create(node) as NodeInfo, {
        calls: routeCalls,
        privileged: <V extends Verbs<V>>(verbs: Privileged<V>, settings: unknown) =>
          privilegedVerbs(broker, verbs, settings, { jobs: common.jobs, log: this.#log, signal: closing.signal }),
        onLeader: (start: () => void | Promise<void>) => startLeading(leadership, start, { log, onClose }),
        afterSetup: (work: () => void | Promise<void>) => {
          if (this.#isSetUp) return work();
          this.#deferred.add(work);
          onClose(() => void this.#deferred.delete(work)); // also if its setup fails
          return undefined;
        },
      }),
      log,
      gather: this.gather,
      peer: <S>(name: string) => this.#serviceOf(plugin, name) as S | undefined,
      onClose,
    };
  }

  #serviceOf(plugin: Plugin, name: string): unknown {
    if (!(plugin.uses ?? []).includes(name)) throw new Error(`plugin ${plugin.name} does not list ${name} in uses`);
    return this.service(name);
  }

  /** Releases what was taken last first, and what is added meanwhile. Logs what fails, or takes too long, and goes on. */
  async #release(plugin: Plugin, releases: (() => void | Promise<void>)[]): Promise<void> {
    for (let release = releases.pop(); release !== undefined; release = releases.pop()) {
      try {
        await withDeadline(Promise.resolve(release()), RELEASE_MS);
      } catch (error) {
        this.#log.error({ plugin: plugin.name, err: error }, 'closing failed');
      }
    }
  }
}

/** The part of a status that does not change. */
function identityOf({ name, description, features }: Plugin): Pick<PluginStatus, 'name' | 'description' | 'features'> {
  return { name, features, ...(description !== undefined && { description }) };
}

function offStatus({ name, isOptIn, features }: InstalledPlugin): PluginStatus {
  const reason = isOptIn
    ? `off unless plugins.${name} of the configuration is true`
    : 'switched off in the configuration';
  return { name, state: 'off', features: features(), provides: [], reason };
}
