import type { TSchema } from '../../kernel/schema.ts';

/** The parts of a schema that say what a value holds. */
interface Holding {
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
}

/** The members of a value that its schema names, such as `.accounts[].plan`; the values of a record count as items of a list. */
export function membersOf(schema: TSchema, value: unknown): readonly string[] {
  return [...new Set(members(schema, value, ''))].toSorted();
}

function* members(schema: TSchema, value: unknown, path: string): Generator<string> {
  const { anyOf = [], items, properties = {}, patternProperties = {} } = schema as Holding;
  for (const each of anyOf) yield* members(each, value, path);
  if (typeof value !== 'object' || value === null) return;
  const ofItems = Array.isArray(value) ? items : Object.values(patternProperties)[0];
  for (const item of ofItems === undefined ? [] : Object.values(value)) {
    yield `${path}[]`;
    yield* members(ofItems as TSchema, item, `${path}[]`);
  }
  for (const [name, each] of Object.entries(properties))
    if (Object.hasOwn(value, name)) {
      yield `${path}.${name}`;
      yield* members(each, (value as Readonly<Record<string, unknown>>)[name], `${path}.${name}`);
    }
}
