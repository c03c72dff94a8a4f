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

const sectionSchema = ({ ...schema }: TSchema): TSchema => {
  delete schema['default'];
  return schema;
};
