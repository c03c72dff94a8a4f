import type { TSchema } from '../schema.ts';

/** Calls back for each member of a value, with its schema if that is known; members of arrays included. */
function members(schema: TSchema, value: unknown): [name: string, member: unknown, schema: TSchema | undefined][] {
  if (typeof value !== 'object' || value === null) return [];
  const {
    properties = {},
    patternProperties = {},
    items,
  } = schema as Readonly<Record<string, Record<string, TSchema>>>;
  const [everyMember] = Object.values(patternProperties);
  return Object.entries(value).map(([name, member]: [string, unknown]) => [
    name,
    member,
    (items as TSchema | undefined) ?? properties[name] ?? everyMember,
  ]);
}

const isSecret = (schema: TSchema): boolean => schema['writeOnly'] === true;

/** Returns the paths of the members of a value that its schema marks as `writeOnly`, unless they are empty. */
export function secretsIn(schema: TSchema, value: unknown, path = ''): string[] {
  if (value === undefined || value === '') return [];
  if (isSecret(schema)) return [path];
  return members(schema, value).flatMap(([name, member, its]) =>
    its === undefined ? [] : secretsIn(its, member, path === '' ? name : `${path}.${name}`),
  );
}

/** Returns a copy of a value in which secrets are asterisks. */
export function masked(schema: TSchema, value: unknown): unknown {
  if (isSecret(schema)) return value === '' || value === undefined ? value : '********';
  if (typeof value !== 'object' || value === null) return value;
  const copy = members(schema, value).map(([name, member, its]) => [
    name,
    its === undefined ? member : masked(its, member),
  ]);
  return Array.isArray(value) ? copy.map(([, member]) => member) : Object.fromEntries(copy);
}
