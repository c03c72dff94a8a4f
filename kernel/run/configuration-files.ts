import { join } from 'node:path';
import {
  assertReloadable,
  loadConfig,
  readJson,
  readLayers,
  ruleIssues,
  SHIPPED,
  type Config,
} from '../config/configuration.ts';
import { KernelConfig } from '../config/kernel-config.ts';
import { inPlainWords } from '../config/plain-words.ts';
import { readSecretFiles, withSecretFiles } from '../config/secrets.ts';
import { violations } from '../config/validator.ts';
import type { ConfigurationFiles } from '../contract/command.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { AnyPrivileged } from '../contract/privileged.ts';
import { installedPlugins, isOn, isOptIn, pluginSettings, type InstalledPlugin } from '../host/discovery.ts';
import { openPrivileged } from '../host/privileges.ts';
import { importDefault, pluginsWith } from '../kit/files/plugin-files.ts';
import { effectiveSettings, wholeSchema } from './effective-settings.ts';
import { withStoredBeside } from './stored-settings.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import type { TObject } from '../schema.ts';

/** Returns the configuration as commands see it; see `ConfigurationFiles`. */
export function configurationFiles(file: string | undefined, given: () => Config): ConfigurationFiles {
  return {
    file,
    shipped: readJson(join(projectDir, SHIPPED)),
    schemas: async () => ({
      kernel: withSecretFiles(KernelConfig) as TObject,
      whole: withSecretFiles(wholeSchema(await manifests())) as TObject,
    }),
    async check(read) {
      const schema = wholeSchema(await manifests());
      const layers = readLayers(file, process.env, {}, read);
      const { issues } = readSecretFiles(schema, layers.merged);
      const unread = new Set(issues.map(({ path }) => path.replace(/_file$/, '')));
      for (const each of violations(schema, layers.merged))
        if (!unread.has(each.path)) issues.push({ path: each.path, message: inPlainWords(each) });
      if (!issues.some(({ path }) => /^\/(tls|(admin_)?listen|(admin_)?cors_origins)\b/.test(path)))
        issues.push(...ruleIssues(layers.merged));
      return { issues, sourceOf: (setting) => layers.sourceOf(setting) };
    },
    read: () => loadConfig(file, process.env),
    assertReloadable,
    privileges: (config) =>
      Promise.all(
        pluginsWith('privileged')
          .filter((name) => isOn({ name, isOptIn: isOptIn(name) }, config))
          .map(async (plugin) => {
            const privileged = (await importDefault<AnyPrivileged>(plugin, 'privileged')) as AnyPrivileged;
            const { name, verbs } = privileged;
            const settings = pluginSettings(privileged, config);
            return { name, verbs, settings, open: (host) => openPrivileged(privileged, settings, host) };
          }),
      ),
    async effective() {
      const config = await withStoredBeside(given());
      return effectiveSettings(config, await manifests((each) => isOn(each, config)));
    },
  };
}

const manifests = (isMeant: (each: InstalledPlugin) => boolean = () => true): Promise<Plugin[]> =>
  Promise.all(
    installedPlugins()
      .filter(isMeant)
      .map((each) => each.load()),
  );
