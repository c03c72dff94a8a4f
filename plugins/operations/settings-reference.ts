import type { ConfigurationFiles } from '../../kernel/contract/command.ts';
import { alternatives } from '../../kernel/kit/schema-text.ts';
import type { TSchema } from '../../kernel/schema.ts';

type Schemas = Awaited<ReturnType<ConfigurationFiles['schemas']>>;

interface Setting {
  readonly path: string;
  readonly schema: TSchema;
  readonly default: unknown;
}

interface SettingRow {
  readonly setting: string;
  readonly type: string;
  readonly default: unknown;
  readonly description: string;
}

interface Part {
  readonly title: string;
  readonly settings: readonly Setting[];
}

/** Returns Markdown of all settings, a table for the kernel and one for each plugin. `shipped` has the kernel's defaults. */
export function settingsReference(schemas: Schemas, shipped: Readonly<Record<string, unknown>>): string {
  return partsOf(schemas, shipped)
    .map(({ title, settings }) => table(title === '' ? 'Settings' : `\`${title}\``, settings.map(rowOf)))
    .join('\n\n');
}

/** Returns the rows of those tables, for programs; settings of a plugin begin with its name. */
export function settingsRows(schemas: Schemas, shipped: Readonly<Record<string, unknown>>): SettingRow[] {
  return partsOf(schemas, shipped).flatMap(({ title, settings }) =>
    settings.map(rowOf).map((row) => ({ ...row, setting: title === '' ? row.setting : `${title}.${row.setting}` })),
  );
}

function partsOf({ kernel, whole }: Schemas, shipped: Readonly<Record<string, unknown>>): Part[] {
  const sections = Object.entries(whole.properties).filter(
    ([name, schema]) => !(name in kernel.properties) && 'properties' in schema,
  );
  return [
    {
      title: '',
      settings: Object.entries(kernel.properties).flatMap(([name, schema]) => settingsOf(name, schema, shipped[name])),
    },
    ...sections.map(([title, schema]) => ({ title, settings: settingsOf('', schema, undefined) })),
  ];
}

function rowOf({ path, schema, default: value }: Setting): SettingRow {
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  return { setting: path, type: kindOf(schema), default: value ?? null, description };
}

function table(title: string, rows: readonly SettingRow[]): string {
  const lines = rows.map(({ setting, type, default: value, description }) => {
    const shown = value === null ? '' : `\`${cell(JSON.stringify(value))}\``;
    return `| \`${setting}\` | ${cell(type)} | ${shown} | ${cell(description)} |`;
  });
  return [`## ${title}`, '', '| setting | type | default | |', '| --- | --- | --- | --- |', ...lines].join('\n');
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
