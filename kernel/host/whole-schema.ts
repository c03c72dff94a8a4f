import { KernelConfig } from '../config/kernel-config.ts';
import type { Plugin } from '../contract/plugin.ts';
import { closed, type TSchema } from '../schema.ts';

/** Returns the schema of a whole configuration: the kernel's settings, and a section for each plugin. */
export function wholeSchema(plugins: readonly Plugin[]): TSchema {
  const sections = plugins.map(({ name, config }) => [
    name,
    config === undefined ? { not: {} } : sectionSchema(config),
  ]);
  const switches = Object.fromEntries(plugins.map(({ name }) => [name, { type: 'boolean' }]));
  const { description } = KernelConfig.properties.plugins;
  return closed({
    ...KernelConfig,
    properties: {
      ...KernelConfig.properties,
      plugins: { type: 'object', properties: switches, description },
      ...Object.fromEntries(sections),
    },
  }) as TSchema;
}

/**
 * Returns the schema for editors, which see one file of several that are merged: nothing is required that another file or
 * a default may supply.
 */
export function editorSchema(whole: TSchema): TSchema {
  const { required: _, ...schema } = withoutDefaulted(whole);
  const properties = Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, member]) => {
    if (!(name in KernelConfig.properties)) return [name, member];
    const { required: __, ...rest } = member;
    return [name, rest];
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of Hostkeep',
    ...schema,
    properties: Object.fromEntries(properties),
  } as TSchema;
}

const sectionSchema = ({ ...schema }: TSchema): TSchema => {
  delete schema['default'];
  return schema;
};

/** Copies a schema; members with a default are no longer required. */
function withoutDefaulted(schema: TSchema): TSchema {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each: TSchema) => withoutDefaulted(each)) as unknown as TSchema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === 'default' ? value : withoutDefaulted(value),
    ]),
  );
  const { required, properties } = schema as { required?: string[]; properties?: Record<string, TSchema> };
  if (!Array.isArray(required) || properties === undefined) return copy as TSchema;
  const left = required.filter((name) => !('default' in (properties[name] ?? {})));
  const { required: _, ...rest } = copy;
  return { ...rest, ...(left.length > 0 && { required: left }) } as TSchema;
}
