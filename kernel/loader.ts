import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, projectDir, type Config } from './config.ts';
import { messageOf, retryLater, Unavailable } from './errors.ts';
import { Validator } from './json.ts';
import type { Log } from './log.ts';
import type { PluginStatus, RouteInfo } from './node.ts';
import type { Host, Plugin, RouteTable, Setup } from './plugin.ts';
import type { Gathered, PointName, Points } from './points.ts';
import { assertNoClash, describe, LiveRoute, unauthenticated, type Handler } from './routes.ts';
import type { TSchema } from './schema.ts';
import type { Sessions } from './sessions.ts';

const SETUP_MS = 30_000;
const WARN_MS = 10_000;
const GATHER_MS = 2000;
/** Points whose providers change the world outside, and what that may take. */
const LONGER_MS: Partial<Record<PointName, number>> = { domainAdded: 30_000, domainRemoved: 30_000 };

/** What the kernel gives to every plugin alike. */
export type CommonHost = Omit<Host, 'config' | 'log' | 'gather' | 'service' | 'onClose'>;

interface Loaded {
  readonly plugin: Plugin;
  readonly status: PluginStatus;
  readonly setup: Setup<RouteTable> | undefined;
  readonly releases: (() => void | Promise<void>)[];
}

/** Imports every plugin of the folder beside the kernel, in the order of their names. */
export async function findPlugins(): Promise<Plugin[]> {
  const folder = new URL('../plugins/', import.meta.url);
  const file = import.meta.url.endsWith('.ts') ? 'index.ts' : 'index.js';
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
  return Promise.all(
    names.map(async (name) => {
      const module = (await import(pathToFileURL(join(folder.pathname, name, file)).href)) as { default?: Plugin };
      if (module.default?.name !== name)
        throw new Error(`plugins/${name}/${file} must export a plugin named ${name} as its default`);
      return module.default;
    }),
  );
}

/** The plugins of one configuration, set up: their routes, what they provide, and how they end. */
export class PluginSet {
  readonly routes: LiveRoute[] = [];
  readonly #loaded = new Map<string, Loaded>();
  readonly #warned = new Map<string, number>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  get infos(): RouteInfo[] {
    return this.routes.map((route) => route.info);
  }

  get statuses(): PluginStatus[] {
    return [...this.#loaded.values()].map(({ status }) => status);
  }

  /**
   * Sets all plugins up, each after those that it needs. One that fails is listed with its reason and its routes
   * answer 503; the others run. Throws `ConfigError` for settings that do not fit, or that no plugin has.
   */
  async load(plugins: readonly Plugin[], config: Config, host: CommonHost): Promise<void> {
    assertSections(plugins, config);
    const settings = new Map(plugins.map((plugin) => [plugin.name, sectionOf(plugin, config)]));
    for (const plugin of inOrder(plugins)) {
      if (config.plugins[plugin.name] === false)
        this.#refuse(plugin, 'off', new Unavailable('switched off in the configuration'));
      else await this.#start(plugin, settings.get(plugin.name), host);
    }
    assertNoClash(this.infos);
    const owners = new Map<string, string>();
    for (const { name, features } of plugins)
      for (const feature of features) {
        if (owners.has(feature))
          throw new Error(`plugins ${owners.get(feature)} and ${name} both own the feature ${feature}`);
        if (!host.node.locales.featureNames.has(feature))
          throw new Error(`plugin ${name} owns ${feature}, which config/features.json does not know`);
        owners.set(feature, name);
      }
  }

  /** Asks all providers of a point at once; none waits longer than its limit, one that fails costs only its part. */
  async gather<P extends PointName>(point: P, ...args: Parameters<Points[P]>): Promise<Gathered<P>[]> {
    return Promise.all(
      this.#providers(point).map(async ({ plugin, ask }): Promise<Gathered<P>> => {
        const started = performance.now();
        try {
          const answer = ask(...args);
          const value = answer instanceof Promise ? await within(LONGER_MS[point] ?? GATHER_MS, answer) : answer;
          return { plugin, ms: performance.now() - started, ok: true, value: value as Awaited<ReturnType<Points[P]>> };
        } catch (error) {
          this.#warnOfPart(plugin, point, error);
          return { plugin, ms: performance.now() - started, ok: false, error };
        }
      }),
    );
  }

  /** Calls all providers of a point one after the other, in the order of their needs, without a limit of time. */
  async inTurn<P extends PointName>(
    point: P,
    ...args: Parameters<Points[P]>
  ): Promise<{ plugin: string; value?: Awaited<ReturnType<Points[P]>>; error?: unknown }[]> {
    const results: { plugin: string; value?: Awaited<ReturnType<Points[P]>>; error?: unknown }[] = [];
    for (const { plugin, ask } of this.#providers(point)) {
      try {
        results.push({ plugin, value: (await ask(...args)) as Awaited<ReturnType<Points[P]>> });
      } catch (error) {
        results.push({ plugin, error });
      }
    }
    return results;
  }

  /** Releases everything in the reverse order of its opening. A failure is logged and keeps nothing else open. */
  async close(): Promise<void> {
    for (const { plugin, releases } of [...this.#loaded.values()].toReversed()) await this.#release(plugin, releases);
  }

  /** Once in a while for each part, because dashboards are polled whatever is missing in them. */
  #warnOfPart(plugin: string, point: PointName, error: unknown): void {
    const [key, now] = [`${plugin} ${point}`, performance.now()];
    if (now - (this.#warned.get(key) ?? -WARN_MS) < WARN_MS) return;
    this.#warned.set(key, now);
    this.#log.warn({ plugin, point, err: error }, 'a part could not be gathered');
  }

  #providers(point: PointName): { plugin: string; ask: (...args: unknown[]) => unknown }[] {
    return [...this.#loaded.values()].flatMap(({ plugin, setup }) => {
      const ask = setup?.provides?.[point];
      return ask === undefined ? [] : [{ plugin: plugin.name, ask: ask as (...args: unknown[]) => unknown }];
    });
  }

  async #start(plugin: Plugin, config: unknown, common: CommonHost): Promise<void> {
    const missing = (plugin.needs ?? []).find((name) => this.#loaded.get(name)?.status.state !== 'ready');
    if (missing !== undefined) {
      const why = this.#loaded.has(missing)
        ? `which is ${this.#loaded.get(missing)?.status.state}`
        : 'which is not installed';
      this.#log.warn({ plugin: plugin.name, needs: missing }, `plugin ${plugin.name} needs ${missing}, ${why}`);
      return this.#refuse(plugin, 'unavailable', new Unavailable(`needs the plugin ${missing}, ${why}`), config);
    }
    const releases: (() => void | Promise<void>)[] = [];
    try {
      await common.store.migrate(plugin.name, join(projectDir, 'plugins', plugin.name, 'migrations'));
      const setup = await within(
        SETUP_MS,
        Promise.resolve(plugin.setup(this.#hostOf(plugin, config, common, releases))),
      );
      const routes = tableOf(plugin, config).map(
        (info) => new LiveRoute(info, whileAlive(handlerOf(setup, info), common.directory.sessions)),
      );
      this.routes.push(...routes);
      this.#loaded.set(plugin.name, {
        plugin,
        setup,
        releases,
        status: {
          name: plugin.name,
          state: 'ready',
          features: plugin.features,
          provides: Object.keys(setup.provides ?? {}) as PointName[],
        },
      });
    } catch (error) {
      await this.#release(plugin, releases);
      const known = error instanceof Unavailable;
      this.#log[known ? 'warn' : 'error'](
        { plugin: plugin.name, ...(known ? {} : { err: error }) },
        `plugin ${plugin.name} is not available: ${messageOf(error)}`,
      );
      this.#refuse(plugin, 'unavailable', known ? error : new Unavailable(messageOf(error)), config);
    }
  }

  #refuse(plugin: Plugin, state: 'off' | 'unavailable', { message, remedy }: Unavailable, config?: unknown): void {
    const status = {
      name: plugin.name,
      state,
      features: plugin.features,
      provides: [],
      reason: message,
      ...(remedy === undefined ? {} : { remedy }),
    };
    this.#loaded.set(plugin.name, { plugin, setup: undefined, releases: [], status });
    if (state === 'off') return;
    const handle: Handler = () => {
      throw retryLater('feature_unavailable', `${plugin.name} is not available on this server at the moment`, 30);
    };
    this.routes.push(...tableOf(plugin, config).map((info) => new LiveRoute(info, handle)));
  }

  #hostOf(plugin: Plugin, config: unknown, common: CommonHost, releases: (() => void | Promise<void>)[]): Host {
    return {
      ...common,
      config,
      log: this.#log.child({ plugin: plugin.name }),
      gather: (point, ...args) => this.gather(point, ...args),
      service: <S>(name: string): S => {
        if (!(plugin.needs ?? []).includes(name))
          throw new Error(`plugin ${plugin.name} uses ${name} without naming it in needs`);
        return this.#loaded.get(name)?.setup?.service as S;
      },
      onClose: (release) => void releases.push(release),
    };
  }

  async #release(plugin: Plugin, releases: readonly (() => void | Promise<void>)[]): Promise<void> {
    for (const release of releases.toReversed()) {
      try {
        await release();
      } catch (error) {
        this.#log.error({ plugin: plugin.name, err: error }, 'closing failed');
      }
    }
  }
}

function handlerOf(setup: Setup<RouteTable>, info: RouteInfo): Handler {
  const handle = setup.handlers[info.name];
  if (handle === undefined) throw new Error(`route ${info.plugin}.${info.name} has no handler`);
  return handle as Handler;
}

/** What fails because its session ended meanwhile, with its account or by another request, is told what the next request will be. */
function whileAlive(handle: Handler, sessions: Sessions): Handler {
  return (call) => {
    const result = handle(call);
    if (!(result instanceof Promise) || call.session === undefined) return result;
    const { session } = call;
    return result.catch(async (error: unknown) => {
      throw (await sessions.isAlive(session)) ? error : unauthenticated();
    });
  };
}

function tableOf(plugin: Plugin, config: unknown): RouteInfo[] {
  return describe(
    plugin.name,
    plugin.features,
    typeof plugin.routes === 'function' ? plugin.routes(config) : plugin.routes,
  );
}

/** Plugins so that each comes after those that it needs. Throws on a circle. */
function inOrder(plugins: readonly Plugin[]): Plugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (path.includes(plugin.name))
      throw new Error(`plugins need each other in a circle: ${[...path, plugin.name].join(' → ')}`);
    for (const name of plugin.needs ?? []) {
      const needed = byName.get(name);
      if (needed !== undefined) visit(needed, [...path, plugin.name]);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}

function assertSections(plugins: readonly Plugin[], config: Config): void {
  const names = new Set(plugins.map((plugin) => plugin.name));
  const unknown = [...Object.keys(config.sections), ...Object.keys(config.plugins)].find((name) => !names.has(name));
  if (unknown !== undefined)
    throw new ConfigError(`the configuration names ${unknown}, which is neither a setting nor a plugin`);
}

/** A plugin's settings with its schema's defaults filled in. */
function sectionOf(plugin: Plugin, config: Config): unknown {
  const given = config.sections[plugin.name];
  if (plugin.config === undefined) {
    if (given !== undefined) throw new ConfigError(`plugin ${plugin.name} has no settings`);
    return {};
  }
  const settings = structuredClone(given ?? {});
  const [issue] = new Validator(plugin.config as TSchema).issues(settings);
  if (issue !== undefined) throw new ConfigError(`${plugin.name}${issue.path.replaceAll('/', '.')} ${issue.message}`);
  return settings;
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
