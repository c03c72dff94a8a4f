import type { ConfigurationFiles } from '../../kernel/contract/command.ts';
import type { TSchema } from '../../kernel/schema.ts';

type Schemas = Awaited<ReturnType<ConfigurationFiles['schemas']>>;

/**
 * Returns the schema for editors, which see one file of several that are merged: nothing is required that another file or
 * a default may supply.
 */
export function editorSchema({ kernel, whole }: Schemas): TSchema {
  const { required: _, ...schema } = withoutDefaulted(whole);
  const properties = Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, member]) => {
    if (!(name in kernel.properties)) return [name, member];
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
