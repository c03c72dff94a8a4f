import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, type Config } from '../config/configuration.ts';
import { Validator } from '../config/validator.ts';
import type { Plugin } from '../plugin-api/plugin.ts';
import type { TSchema } from '../schema.ts';

/** Imports every plugin of `plugins/`, beside the kernel, in the order of their names. */
export async function findPlugins(): Promise<Plugin[]> {
  const folder = new URL('../../plugins/', import.meta.url);
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

/** Plugins so that each comes after those that it needs. Throws on a circle. */
export function inOrder(plugins: readonly Plugin[]): Plugin[] {
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

export function assertSections(plugins: readonly Plugin[], config: Config): void {
  const names = new Set(plugins.map((plugin) => plugin.name));
  const unknown = [...Object.keys(config.sections), ...Object.keys(config.plugins)].find((name) => !names.has(name));
  if (unknown !== undefined)
    throw new ConfigError(`the configuration names ${unknown}, which is neither a setting nor a plugin`);
}

/** A plugin's settings with its schema's defaults filled in. */
export function sectionOf(plugin: Plugin, config: Config): unknown {
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
