import { SHIPPED, type Config } from '../config/configuration.ts';
import { KernelConfig } from '../config/kernel-config.ts';
import { masked } from '../config/secrets.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { EffectiveSetting } from '../contract/node-info.ts';
import { pluginSettings } from '../host/discovery.ts';
import { closed, type TSchema } from '../schema.ts';

/** Returns the schema of a whole configuration: the kernel's settings, and a section for each plugin. */
export function wholeSchema(plugins: readonly Plugin[]): TSchema {
  const switches = Object.fromEntries(plugins.map(({ name }) => [name, { type: 'boolean' }]));
  const { description } = KernelConfig.properties.plugins;
  return closed({
    ...KernelConfig,
    properties: {
      ...KernelConfig.properties,
      plugins: { type: 'object', properties: switches, description },
      ...Object.fromEntries(plugins.map(({ name, config }) => [name, sectionSchema(config)])),
    },
  }) as TSchema;
}

function sectionSchema(config: TSchema | undefined): object {
  const { default: _default, ...schema } = config ?? { not: {} };
  return schema;
}

/** Returns all settings in effect, of the kernel and of the plugins that are on, and what set each; secrets are masked. */
export function effectiveSettings(config: Config, plugins: readonly Plugin[]): EffectiveSetting[] {
  const { sections: _sections, sourceOf: _sourceOf, originOf, ...kernel } = config;
  const sections = plugins
    .filter((plugin) => plugin.config !== undefined)
    .map((plugin) => [plugin.name, pluginSettings(plugin, config)]);
  const value = masked(wholeSchema(plugins), { ...kernel, ...Object.fromEntries(sections) });
  return leaves(value).map(([setting, each]) => {
    const origin = originOf(setting) ?? originOf(`${setting}_file`) ?? SHIPPED;
    return { setting, value: each, origin: origin === SHIPPED ? 'default' : origin };
  });
}

/** The members of a value that are not objects with members. */
function leaves(value: unknown, path = ''): [path: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) => leaves(each, path === '' ? name : `${path}.${name}`));
}
