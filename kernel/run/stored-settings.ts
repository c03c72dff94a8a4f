import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withSetting, type Config } from '../config/configuration.ts';
import { inPlainWords } from '../config/plain-words.ts';
import { settingsIssues, violations } from '../config/validator.ts';
import type { EffectiveSetting, SettingTrial } from '../contract/settings/effective-setting.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { SettingValues, StoredSettings } from '../contract/settings/stored-settings.ts';
import { errorMessage, invalid } from '../errors.ts';
import { installedPlugins, isOn, pluginSettings, type InstalledPlugin } from '../host/discovery.ts';
import { importDefault, pluginsWith } from '../kit/files/plugin-files.ts';
import { createLog, outputAt, type Log } from '../log.ts';
import type { TSchema } from '../schema.ts';
import type { Store } from '../store/store.ts';
import { openStore } from './data/open-store.ts';
import { effectiveSettings } from './effective-settings.ts';

interface Keeper {
  readonly source: string;
  read(store: Store): Promise<SettingValues>;
}

/** Resolves with what keeps settings in the store, and may have some by what the files say; `undefined` if nothing does. */
async function findKeeper(files: Config, installed: readonly InstalledPlugin[]): Promise<Keeper | undefined> {
  for (const name of pluginsWith('stored-settings')) {
    const plugin = installed.find((each) => each.name === name);
    if (plugin === undefined || !isOn(plugin, files)) continue;
    const settings = pluginSettings(await plugin.load(), files);
    const stored = await importDefault<StoredSettings>(name, 'stored-settings');
    if (stored?.mayExist(settings) === true)
      return { source: stored.source, read: (store) => stored.read(settings, store) };
  }
  return undefined;
}

/** Values to lie over the files instead of those that are kept, and the one that must fit. */
export type Tried = Pick<SettingTrial, 'values'> & Partial<Pick<SettingTrial, 'changed'>>;

interface Laid {
  readonly config: Config;
  /** All values, also those that are not used. */
  readonly values: SettingValues;
}

/**
 * Resolves with the configuration of the files, over which the stored values lie, or those of a trial. Leaves out, and logs, those that
 * do not fit, because the files are what holds; rejects if that is the one of a trial: see `NodeInfo.applyStored`.
 */
export async function withStored(
  files: Config,
  installed: readonly InstalledPlugin[],
  { store, log, trial }: { readonly store: Store; readonly log: Log; readonly trial?: Tried | undefined },
): Promise<Laid> {
  const keeper = await findKeeper(files, installed);
  const values = trial?.values ?? (await keeper?.read(store)) ?? new Map<string, unknown>();
  if (keeper === undefined || values.size === 0) return { config: files, values };
  const plugins = await Promise.all(installed.filter((each) => isOn(each, files)).map((each) => each.load()));
  const known = new Map(effectiveSettings(files, plugins).map((each) => [each.setting, each]));
  let config = files;
  for (const [setting, value] of values)
    try {
      config = withOne(config, { setting, value, source: keeper.source }, known.get(setting), plugins);
    } catch (error) {
      if (setting === trial?.changed) throw error;
      log.warn({ setting }, `the stored value of ${setting} is not used: ${errorMessage(error)}`);
    }
  return { config, values };
}

/** Resolves, for a command, with what `withStored` does. Opens the store only where it may have settings, and creates none. */
export async function withStoredBeside(files: Config): Promise<Config> {
  const installed = installedPlugins();
  const { data, store: settings } = files;
  const exists = settings.url !== '' || existsSync(join(data, 'hostkeep.db'));
  if (!exists || (await findKeeper(files, installed)) === undefined) return files;
  const store = await openStore(data, { ...settings, connections: 3 });
  try {
    return (await withStored(files, installed, { store, log: createLog('error', outputAt(2)) })).config;
  } finally {
    await store.close();
  }
}

interface StoredValue {
  readonly setting: string;
  readonly value: unknown;
  readonly source: string;
}

function withOne(
  config: Config,
  { setting, value, source }: StoredValue,
  known: EffectiveSetting | undefined,
  plugins: readonly Plugin[],
): Config {
  if (known === undefined) throw new Error('there is no such setting');
  if (known.bond !== undefined) throw new Error(`nothing but a file may set it (${known.bond})`);
  const { default: _default, ...schema } = known.schema; // which means nothing for a whole value
  if (settingsIssues(schema as TSchema, value).length > 0) {
    const faults = violations(schema as TSchema, value);
    throw invalid(
      'body',
      faults.map((each) => ({ path: `/value${each.path}`, message: inPlainWords(each) })),
    );
  }
  const next = withSetting(config, setting, value, source);
  const plugin = plugins.find(({ name }) => setting.startsWith(`${name}.`));
  if (plugin !== undefined) pluginSettings(plugin, next); // what only all of its settings together break
  return next;
}
