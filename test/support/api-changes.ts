/** Compares two surfaces of the API, and tells what breaks a client that was made for the older one. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema, Surface, SurfaceOperation } from './api-surface.ts';

export interface Change {
  /** `<METHOD> <path>`, or the name of a schema. */
  readonly where: string;
  readonly what: string;
  readonly isBreaking: boolean;
}

/** Whether a client writes what is compared, or reads it: a type may become wider in a request, and narrower in a reply. */
type Direction = 'request' | 'reply';

export function changesBetween(old: Surface, now: Surface): Change[] {
  const operations = namesOf(old.operations, now.operations).flatMap((name) => {
    const [before, after] = [old.operations[name], now.operations[name]];
    if (after === undefined) return [change(name, 'is gone', true)];
    if (before === undefined) return [change(name, 'is new', false)];
    return operationChanges(before, after).map(({ what, isBreaking }) => change(name, what, isBreaking));
  });
  const [before, after] = [new Set(old.schemas), new Set(now.schemas)];
  return [
    ...operations,
    ...old.schemas.filter((name) => !after.has(name)).map((name) => change(name, 'is no schema any more', true)),
    ...now.schemas.filter((name) => !before.has(name)).map((name) => change(name, 'is a new schema', false)),
  ];
}

/** Returns the breaking changes of which no `**Breaking:**` item of the changelog's text names the place in backticks. */
export function unannounced(changes: readonly Change[], text: string): Change[] {
  const items = text.split(/^- /m).filter((item) => item.startsWith('**Breaking:**'));
  return changes.filter(
    ({ where, isBreaking }) => isBreaking && !items.some((item) => item.replace(/\s+/g, ' ').includes(`\`${where}\``)),
  );
}

type Difference = Omit<Change, 'where'>;
const change = (where: string, what: string, isBreaking: boolean): Change => ({ where, what, isBreaking });
const breaks = (what: string): Difference => ({ what, isBreaking: true });
const adds = (what: string): Difference => ({ what, isBreaking: false });

function operationChanges(old: SurfaceOperation, now: SurfaceOperation): Difference[] {
  const parameters = namesOf(old.parameters, now.parameters).flatMap((name): Difference[] => {
    const [before, after] = [old.parameters[name], now.parameters[name]];
    if (after === undefined) return [breaks(`${name} is refused`)];
    if (before === undefined) return [after.required ? breaks(`${name} is required`) : adds(`takes ${name}`)];
    const isNewlyRequired = after.required && !before.required;
    return [
      ...(isNewlyRequired ? [breaks(`${name} is required`)] : []),
      ...schemaChanges(before.schema, after.schema, name, 'request'),
    ];
  });
  const replies = namesOf(old.replies, now.replies).flatMap((name): Difference[] => {
    const [before, after] = [old.replies[name], now.replies[name]];
    if (after === undefined) return [breaks(`reply ${name} is gone`)];
    return before === undefined ? [adds(`may reply ${name}`)] : schemaChanges(before, after, 'reply', 'reply');
  });
  return [
    ...(now.needsToken && !old.needsToken ? [breaks('needs a token')] : []),
    ...parameters,
    ...bodyChanges(old.body, now.body),
    ...replies,
    ...now.errors.filter((code) => !old.errors.includes(code)).map((code) => adds(`may fail with ${code}`)),
    ...old.errors.filter((code) => !now.errors.includes(code)).map((code) => adds(`does not fail with ${code}`)),
  ];
}

function bodyChanges(old: Schema | null, now: Schema | null): Difference[] {
  if (old === null) return now === null ? [] : [breaks('needs a body')];
  return now === null ? [breaks('takes no body')] : schemaChanges(old, now, 'body', 'request');
}

function schemaChanges(old: Schema, now: Schema, where: string, direction: Direction): Difference[] {
  if (isDeepStrictEqual(old, now)) return [];
  return [
    ...typeChanges(old, now, where, direction),
    ...memberChanges(old, now, where, direction),
    ...(direction === 'request' ? boundChanges(old, now, where) : []),
    ...itemChanges(old, now, where, direction),
  ];
}

function typeChanges(old: Schema, now: Schema, where: string, direction: Direction): Difference[] {
  const [before, after] = [typesOf(old), typesOf(now)];
  const gained = after.filter((type) => !before.includes(type)).map((type) => `${where} may be ${type}`);
  const lost = before.filter((type) => !after.includes(type)).map((type) => `${where} is never ${type}`);
  return direction === 'reply'
    ? [...gained.map(breaks), ...lost.map(adds)]
    : [...gained.map(adds), ...lost.map(breaks)];
}

function memberChanges(old: Schema, now: Schema, where: string, direction: Direction): Difference[] {
  return namesOf(old.properties ?? {}, now.properties ?? {}).flatMap((name): Difference[] => {
    const [before, after] = [old.properties?.[name], now.properties?.[name]];
    const place = `${where}.${name}`;
    const [wasRequired, isRequired] = [old, now].map((each) => each.required?.includes(name) === true);
    if (after === undefined) return [breaks(`${place} is gone`)];
    if (direction === 'request' && isRequired && !wasRequired) return [breaks(`${place} is required`)];
    if (before === undefined) return [adds(`${place} is new`)];
    const isLost = direction === 'reply' && wasRequired && !isRequired;
    return [...(isLost ? [breaks(`${place} may be missing`)] : []), ...schemaChanges(before, after, place, direction)];
  });
}

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

function boundChanges(old: Schema, now: Schema, where: string): Difference[] {
  const bound = (schema: Schema, keyword: string, none: number) => Number(schema[keyword] ?? none);
  const narrowed = [
    ...UPPER.filter((keyword) => bound(now, keyword, Infinity) < bound(old, keyword, Infinity)),
    ...LOWER.filter((keyword) => bound(now, keyword, -Infinity) > bound(old, keyword, -Infinity)),
    ...['pattern'].filter((keyword) => now[keyword] !== undefined && now[keyword] !== old[keyword]),
  ];
  return narrowed.map((keyword) => breaks(`${where} has ${keyword} ${String(now[keyword])}`));
}

function itemChanges(old: Schema, now: Schema, where: string, direction: Direction): Difference[] {
  const of = (before: Schema | boolean | undefined, after: Schema | boolean | undefined, place: string) =>
    typeof before === 'object' && typeof after === 'object' ? schemaChanges(before, after, place, direction) : [];
  return [
    ...of(old.items, now.items, `${where}[]`),
    ...of(old.additionalProperties, now.additionalProperties, `${where}.*`),
    ...(old.prefixItems ?? []).flatMap((each, i) => of(each, now.prefixItems?.[i], `${where}[${i}]`)),
    ...objectsOf(old).flatMap((each, i) => of(each, objectsOf(now)[i], where)),
  ];
}

/** The objects and lists of a union, such as `Account` of `Account | null`. */
function objectsOf({ anyOf = [] }: Schema): Schema[] {
  return anyOf.filter(({ type }) => type === 'object' || type === 'array');
}

/** What a value may be: types, or the values of a fixed choice. */
function typesOf({ type, anyOf, enum: values, const: value }: Schema): string[] {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf);
  if (value !== undefined) return [JSON.stringify(value)];
  if (values !== undefined) return values.map((each) => JSON.stringify(each));
  return type === undefined ? ['anything'] : [type].flat();
}

function namesOf(...records: readonly Readonly<Record<string, unknown>>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].toSorted();
}
