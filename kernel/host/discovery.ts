import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readJson, type Config } from '../config/configuration.ts';
import { readSecretFiles } from '../config/secrets.ts';
import { schemaDefaults, settingsIssues } from '../config/validator.ts';
import type { Plugin } from '../contract/plugin.ts';
import { importDefault, pluginsWith } from '../kit/files/plugin-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { closed } from '../schema.ts';

/** A plugin that is installed; one that is switched off is not imported, except with the others by a bundle. */
export interface InstalledPlugin {
  readonly name: string;
  /** Whether it is on only where the configuration says so: `{"opt_in": true}` in its `plugin.json`. */
  readonly isOptIn: boolean;
  /** Names of its features, from its `features.json`. */
  features(): readonly string[];
  load(): Promise<Plugin>;
}

/** Returns the plugins in `plugins/`, ordered by name. `load` rejects if a plugin is not named after its folder. */
export function installedPlugins(): InstalledPlugin[] {
  return pluginsWith('index').map((name) => ({
    name,
    isOptIn: isOptIn(name),
    features: () => Object.keys(ownJson(name, 'features.json')),
    load: async () => {
      const plugin = await importDefault<Plugin>(name, 'index');
      if (plugin?.name !== name)
        throw new Error(`plugins/${name}/index must export a plugin named ${name} as its default`);
      return plugin;
    },
  }));
}

/** Returns whether a plugin is off by default; see `InstalledPlugin`. Reads a file, because what is off is not imported. */
export function isOptIn(name: string): boolean {
  return ownJson(name, 'plugin.json')['opt_in'] === true;
}

/** Returns what a JSON file of a plugin holds; nothing if the plugin has no such file. */
function ownJson(plugin: string, file: string): Readonly<Record<string, unknown>> {
  const path = join(projectDir, 'plugins', plugin, file);
  return existsSync(path) ? readJson(path) : {};
}

/** Returns whether the configuration leaves a plugin on. */
export function isOn({ name, isOptIn: asks }: Pick<InstalledPlugin, 'name' | 'isOptIn'>, config: Config): boolean {
  return config.plugins[name] ?? !asks;
}

/** Where a plugin's migrations are, if it has any. */
export const migrationsFolder = (plugin: string): string => join(projectDir, 'plugins', plugin, 'migrations');

/** Returns plugins in an order in which each comes after those that it uses. Throws on a circle. */
export function inOrder(plugins: readonly Plugin[]): Plugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]): void => {
    if (path.includes(plugin.name))
      throw new Error(`plugins use each other in a circle: ${[...path, plugin.name].join(' → ')}`);
    for (const name of plugin.uses ?? []) {
      const needed = byName.get(name);
      if (needed !== undefined) visit(needed, [...path, plugin.name]);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}

/** Throws `ConfigError` if the configuration names what is neither a setting nor a plugin. */
export function assertSections(plugins: readonly { readonly name: string }[], config: Config): void {
  const names = new Set(plugins.map((plugin) => plugin.name));
  const paths = [...Object.keys(config.sections), ...Object.keys(config.plugins).map((name) => `plugins.${name}`)];
  for (const path of paths) {
    const name = path.replace(/^plugins\./, '');
    if (!names.has(name))
      throw new ConfigError(`${config.sourceOf(path)} names ${name}, which is neither a setting nor a plugin`);
  }
}

/** Returns a plugin's validated settings, with defaults filled in. Throws `ConfigError`. */
export function pluginSettings(plugin: Pick<Plugin, 'name' | 'config'>, config: Config): unknown {
  const given = config.sections[plugin.name];
  if (plugin.config === undefined) {
    if (given !== undefined)
      throw new ConfigError(`${config.sourceOf(plugin.name)}: plugin ${plugin.name} has no settings`);
    return {};
  }
  if (given === undefined) return schemaDefaults(plugin.config); // a start is quicker without compiling every schema
  const settings = structuredClone(given);
  const { issues } = readSecretFiles(plugin.config, settings);
  const [issue] = [...issues, ...settingsIssues(closed(plugin.config), settings)];
  if (issue === undefined) return settings;
  const path = `${plugin.name}${issue.path.replaceAll('/', '.')}`;
  throw new ConfigError(`${config.sourceOf(path)}: ${path} ${issue.message}`);
}
