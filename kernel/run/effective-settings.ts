import { join } from 'node:path';
import { FIXED, readJson, SHIPPED, type Config } from '../config/configuration.ts';
import { KernelConfig } from '../config/kernel-config.ts';
import { masked } from '../config/secrets.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { EffectiveSetting, SettingBond } from '../contract/settings/effective-setting.ts';
import { pluginSettings } from '../host/discovery.ts';
import { pluginsWith } from '../kit/files/plugin-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { closed, isObject, type TSchema } from '../schema.ts';

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

/**
 * Returns all settings in effect, of the kernel and of the plugins that are on, and what set each; secrets are masked, and what may be
 * left out and is not set is `null`.
 */
export function effectiveSettings(config: Config, plugins: readonly Plugin[]): EffectiveSetting[] {
  const { sections: _sections, sourceOf: _sourceOf, originOf, ...kernel } = config;
  const sections = plugins
    .filter((plugin) => plugin.config !== undefined)
    .map((plugin) => [plugin.name, pluginSettings(plugin, config)]);
  const whole = wholeSchema(plugins);
  const shipped = readJson(join(projectDir, SHIPPED));
  const value = masked(whole, { ...kernel, ...Object.fromEntries(sections) });
  const bondOf = settingBonds();
  return leaves(value, whole, shipped).map(({ path, value: each, schema }) => {
    const origin = originOf(path) ?? originOf(`${path}_file`) ?? SHIPPED;
    const bond = bondOf(path, schema);
    return { setting: path, value: each, origin: origin === SHIPPED ? 'default' : origin, schema, bond };
  });
}

interface Leaf {
  readonly path: string;
  readonly value: unknown;
  readonly schema: TSchema;
}

/** The members of a value that are not objects with members, and those that its schema has besides. */
function leaves(value: unknown, schema: TSchema, shipped: unknown, path = ''): Leaf[] {
  if (value === undefined && ('not' in schema || UNLISTED.test(path))) return [];
  const { properties = {}, patternProperties = {} } = schema as Readonly<Record<string, Record<string, TSchema>>>;
  const names = new Set([...Object.keys(isObject(value) ? value : {}), ...Object.keys(properties)]);
  if ((value !== undefined && !isObject(value)) || names.size === 0) {
    const known = 'default' in schema || shipped === undefined ? schema : { ...schema, default: shipped };
    return [{ path, value: value ?? null, schema: known as TSchema }];
  }
  const [everyMember = {}] = Object.values(patternProperties);
  return [...names].flatMap((name) =>
    leaves(
      value?.[name],
      properties[name] ?? (everyMember as TSchema),
      isObject(shipped) ? shipped[name] : undefined,
      path === '' ? name : `${path}.${name}`,
    ),
  );
}

/** Settings that are not listed where nothing sets them. */
const UNLISTED = /^(?:\$schema$|plugins\.)/;
/** Settings by which the others are found. */
const STRUCTURE: readonly string[] = ['$schema', 'include', 'plugins'];

/** Returns a function that says why nothing but a file may set a setting. */
export function settingBonds(): (path: string, schema: TSchema) => SettingBond | undefined {
  const fixed = new Set<string>(FIXED);
  const privileged = new Set(pluginsWith('privileged'));
  const structure = new Set([...STRUCTURE, ...pluginsWith('stored-settings')]);
  return (path, schema) => {
    const [area = ''] = path.split('.');
    if (hasSecret(schema)) return 'secret';
    if (fixed.has(area)) return 'restart';
    if (privileged.has(area)) return 'rights';
    return structure.has(area) || holdsObjects(schema) ? 'structure' : undefined;
  };
}

const hasSecret = (schema: TSchema): boolean =>
  schema['writeOnly'] === true || parts(schema).some((each) => hasSecret(each));

const holdsObjects = (schema: TSchema): boolean =>
  schema['type'] === 'object' || parts(schema).some((each) => holdsObjects(each));

/** The schemas of what a value may be or hold. */
function parts({ properties = {}, patternProperties = {}, items = [], anyOf = [] }: TSchema): TSchema[] {
  const named = [...Object.values(properties as object), ...Object.values(patternProperties as object)];
  return [...named, ...[items].flat(), ...(anyOf as TSchema[])] as TSchema[];
}
