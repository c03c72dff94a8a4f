/**
 * Schemas of routes and configurations: plain JSON Schema, with the static type that follows from it. The types are
 * TypeBox's. Its builders are not loaded, because 200 files and 15 MiB at each start are much for objects this plain;
 * `test/kernel/schema.test.ts` holds that ours make the same.
 */
import type { Static, TObject, TProperties, TSchema, Type as TypeBox } from '@sinclair/typebox';

export type { Static, TObject, TSchema };

type Options = Readonly<Record<string, unknown>>;
const optional = Symbol('optional');

const object = (properties: Record<string, object>, options: Options = {}) => {
  const required = Object.keys(properties).filter((name) => !(optional in (properties[name] ?? {})));
  return { ...options, type: 'object', ...(required.length > 0 && { required }), properties };
};
const plain =
  (type: string) =>
  (options: Options = {}) => ({ ...options, type });

const builders = {
  Array: (items: object, options: Options = {}) => ({ ...options, type: 'array', items }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Literal: (value: unknown, options: Options = {}) => ({ ...options, const: value, type: typeof value }),
  Null: plain('null'),
  Number: plain('number'),
  Object: object,
  Optional: (schema: object) => Object.defineProperty({ ...schema }, optional, { value: true }),
  Partial: ({ properties }: { properties: TProperties }, options?: Options) =>
    object(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, builders.Optional(schema)])),
      options,
    ),
  Record: ({ pattern = '^(.*)$' }: { pattern?: string }, value: object, options: Options = {}) => ({
    ...options,
    type: 'object',
    patternProperties: { [pattern]: value },
  }),
  String: plain('string'),
  Tuple: (items: readonly object[], options: Options = {}) => ({
    ...options,
    type: 'array',
    items,
    additionalItems: false,
    minItems: items.length,
    maxItems: items.length,
  }),
  Union: (anyOf: readonly object[], options: Options = {}) => ({ ...options, anyOf }),
  Unknown: (options: Options = {}) => ({ ...options }),
  Unsafe: (schema: Options) => ({ ...schema }),
};

/** The builders of TypeBox that the product uses, with TypeBox's types. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;

/**
 * Returns the schema of an object that the API's description, and the clients generated from it, call by this name. It
 * is the schema's `title`, which names schemas other than objects as well.
 */
export const NamedObject = <T extends TProperties>(name: string, properties: T, options: Options = {}): TObject<T> =>
  Type.Object(properties, { ...options, title: name });

/** Whether a value is an object that JSON writes in braces. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the schema with all its objects closed: a member that they do not describe is an error, because one that is
 * misspelt would otherwise be ignored in silence. An object with `additionalProperties` of its own stays as it is.
 */
export function closed<S extends object>(schema: S): S {
  if (Array.isArray(schema)) return schema.map((each: object) => closed(each)) as unknown as S;
  const entries = Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
    if (keyword === 'properties' || keyword === 'patternProperties')
      return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, closed(each)]))];
    return [keyword, keyword === 'items' || keyword === 'anyOf' ? closed(value as object) : value];
  });
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) } as S;
}

/** The pattern of a text without control characters and line breaks. */
export const NO_CONTROL = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
