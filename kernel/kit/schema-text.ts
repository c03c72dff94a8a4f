import type { TSchema } from '../schema.ts';

/** Names of JSON Schema's types, for operators. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object { … }',
  array: 'a list [ … ]',
  null: 'null',
};

/** Returns the kind of values that a schema takes, for people: `a whole number`, `one of on, off`. */
export function alternatives(schema: TSchema): string {
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].join(', ')}`;
  if ('const' in schema) return String(schema['const']);
  if (!Array.isArray(schema['anyOf'])) return TYPE_NAMES[String(schema['type'])] ?? 'any value';
  const each = (schema['anyOf'] as TSchema[]).map(alternatives);
  return schema['anyOf'].every((form: object) => 'const' in form) ? `one of ${each.join(', ')}` : each.join(' or ');
}
