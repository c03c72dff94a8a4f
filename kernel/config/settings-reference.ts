import type { TSchema } from '../schema.ts';
import { KernelConfig } from './configuration.ts';
import { alternatives } from './plain-words.ts';
import { withSecretFiles } from './secrets.ts';

interface Setting {
  readonly path: string;
  readonly schema: TSchema;
  readonly default: unknown;
}

/** Returns Markdown of all settings, a table for the kernel and one for each plugin. `shipped` has the kernel's defaults. */
export function settingsReference(whole: TSchema, shipped: Readonly<Record<string, unknown>>): string {
  const kernel = Object.entries<TSchema>((withSecretFiles(KernelConfig) as typeof KernelConfig).properties);
  const sections = Object.entries(whole['properties'] as Record<string, TSchema>).filter(
    ([name, schema]) => !(name in KernelConfig.properties) && 'properties' in schema,
  );
  return [
    part(
      'Settings',
      kernel.flatMap(([name, schema]) => settingsOf(name, schema, shipped[name])),
    ),
    ...sections.map(([name, schema]) => part(`\`${name}\``, settingsOf('', schema, undefined))),
  ].join('\n\n');
}

function part(title: string, settings: readonly Setting[]): string {
  const rows = settings.map(({ path, schema, default: value }) => {
    const description = typeof schema['description'] === 'string' ? schema['description'] : '';
    return `| \`${path}\` | ${cell(kindOf(schema))} | ${value === undefined ? '' : `\`${cell(JSON.stringify(value))}\``} | ${cell(description)} |`;
  });
  return [`## ${title}`, '', '| setting | type | default | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The settings in a schema: one for each member that is not an object itself. */
function settingsOf(path: string, schema: TSchema, given: unknown): Setting[] {
  const { properties, patternProperties, items } = schema as Readonly<Record<string, Record<string, TSchema>>>;
  const value: unknown = given ?? schema['default'];
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, member]) =>
      settingsOf(below(name), member, (value as Record<string, unknown> | undefined)?.[name]),
    );
  const [[pattern, element] = ['', items as TSchema | undefined]] = Object.entries(patternProperties ?? {});
  const own = path === '' ? [] : [{ path, schema, default: value }];
  if (element === undefined || !('properties' in element)) return own;
  return [...own, ...settingsOf(pattern === '' ? `${path}[]` : below('<name>'), element, undefined)];
}

function kindOf(schema: TSchema): string {
  const { items, patternProperties = {}, minimum, maximum } = schema as Readonly<Record<string, unknown>>;
  const [member] = Object.values(patternProperties as Record<string, TSchema>);
  if (items !== undefined && !Array.isArray(items)) return `list of ${kindOf(items as TSchema)}`;
  if (member !== undefined) return `object of ${kindOf(member)}`;
  if (schema['type'] === 'object') return 'object';
  if (minimum !== undefined && maximum !== undefined) return `${alternatives(schema)}, ${minimum} to ${maximum}`;
  const limit = minimum === undefined ? maximum : minimum;
  return `${alternatives(schema)}${limit === undefined ? '' : `, at ${minimum === undefined ? 'most' : 'least'} ${limit}`}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
