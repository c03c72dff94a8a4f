import { isObject, type TSchema } from '../schema.ts';

type Rule = (value: unknown, expected: unknown, schema: TSchema) => boolean;
type Members = Readonly<Record<string, TSchema>>;

const isOf = (value: unknown, type: unknown): boolean => {
  if (type === 'object') return isObject(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
};
const rule =
  <V, E>(has: (value: unknown) => value is V, holds: (value: V, expected: E, schema: TSchema) => boolean): Rule =>
  (value, expected, schema) =>
    !has(value) || holds(value, expected as E, schema);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isString = (value: unknown): value is string => typeof value === 'string';
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
const anything: Rule = () => true;

/** The keywords that are decided here, in the cases that are simple. */
const RULES: Readonly<Record<string, Rule>> = {
  default: anything,
  description: anything,
  writeOnly: anything,
  type: (value, type) => [type].flat().some((each) => isOf(value, each)),
  const: (value, expected) => value === expected,
  enum: (value, all) => (all as unknown[]).includes(value),
  anyOf: (value, all) =>
    !isObject(value) && !isArray(value) && (all as TSchema[]).some((each) => plainlyFits(each, value)),
  minimum: rule(isNumber, (value, bound: number) => value >= bound),
  maximum: rule(isNumber, (value, bound: number) => value <= bound),
  exclusiveMinimum: rule(isNumber, (value, bound: number) => value > bound),
  minLength: rule(isString, (value, bound: number) => [...value].length >= bound),
  maxLength: rule(isString, (value, bound: number) => [...value].length <= bound),
  pattern: rule(isString, (value, pattern: string) => new RegExp(pattern, 'u').test(value)),
  minItems: rule(isArray, (value, bound: number) => value.length >= bound),
  maxItems: rule(isArray, (value, bound: number) => value.length <= bound),
  items: rule(isArray, (value, items: TSchema) => isObject(items) && value.every((each) => plainlyFits(items, each))),
  required: rule(isObject, (value, names: string[]) => names.every((name) => value[name] !== undefined)),
  properties: rule(isObject, (value, members: Members) =>
    Object.entries(members).every(([name, its]) => value[name] === undefined || plainlyFits(its, value[name])),
  ),
  additionalProperties: rule(
    isObject,
    (value, allowed, { properties = {} }) =>
      allowed === false && Object.keys(value).every((name) => Object.hasOwn(properties as Members, name)),
  ),
  patternProperties: rule(isObject, (value, patterns: Members) =>
    Object.entries(patterns).every(([pattern, its]) =>
      Object.keys(value).every((name) => !new RegExp(pattern, 'u').test(name) || plainlyFits(its, value[name])),
    ),
  ),
};

/**
 * Returns whether settings obviously fit a schema, and fills in defaults as ajv would; `false` means that ajv has to look.
 * Loading it takes each process 60 ms and 10 MiB, and the settings are nearly always valid.
 */
export function plainlyFits(schema: TSchema, settings: unknown): boolean {
  if (isObject(settings))
    for (const [name, its] of Object.entries((schema['properties'] ?? {}) as Members))
      if ('default' in its && settings[name] === undefined) settings[name] = structuredClone(its['default']);
  return Object.entries(schema).every(([keyword, expected]) => RULES[keyword]?.(settings, expected, schema) === true);
}
