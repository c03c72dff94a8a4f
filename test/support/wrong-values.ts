/** Values that a schema of a request must refuse, made from it. */
import type { TSchema } from '../../kernel/schema.ts';

const OF_TYPES = { object: {}, array: [], string: 'x', number: 1.5, boolean: true, null: null } as const;

/** The types of JSON that a schema takes; none for one that takes any. */
function typesIn({ type, anyOf }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [type ?? [], ...((anyOf ?? []) as TSchema[]).map(typesIn)].flat(2);
}

/** Returns a value of a type that the schema does not take; `undefined` if it takes all. */
export function ofAnotherType(schema: TSchema): unknown {
  const types = typesIn(schema);
  const other = (type: string) => !types.includes(type) && !(type === 'number' && types.includes('integer'));
  return types.length === 0 ? undefined : Object.entries(OF_TYPES).find(([type]) => other(type))?.[1];
}

/** Returns a value of the right type that is too much, too little or not one of a few; `undefined` if there is none. */
export function beyondBounds(schema: TSchema): unknown {
  const { type, anyOf, maximum, minimum, maxLength, maxItems, items } = schema as Readonly<Record<string, unknown>>;
  if (anyOf !== undefined) return beyondAll(anyOf as TSchema[]);
  if (schema['enum'] !== undefined || schema['const'] !== undefined)
    return type === 'string' ? 'no such word' : -12_345;
  if (type === 'integer' || type === 'number')
    return maximum === undefined ? (minimum === undefined ? undefined : Number(minimum) - 1) : Number(maximum) + 1;
  if (type === 'string') return maxLength === undefined ? undefined : 'x'.repeat(Number(maxLength) + 1);
  if (type === 'array' && maxItems !== undefined && items !== undefined) return Array(Number(maxItems) + 1).fill(null);
  return undefined;
}

/** Of several schemas, a value that is beyond the widest. */
function beyondAll(schemas: readonly TSchema[]): unknown {
  const all = schemas.filter(({ type }) => type !== 'null').map(beyondBounds);
  if (all.some((each) => each === undefined)) return undefined;
  const size = (each: unknown) => (typeof each === 'number' ? each : String(each).length);
  return all.toSorted((a, b) => size(b) - size(a))[0];
}
