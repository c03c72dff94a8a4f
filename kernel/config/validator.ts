import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { fail, type Issue } from '../errors.ts';
import type { TSchema } from '../schema.ts';
import { lazyPackage } from '../kit/programs/lazy-package.ts';
import { plainlyFits } from './plain-check.ts';
import { inPlainWords, type Violation } from './plain-words.ts';

const loadAjv = lazyPackage<typeof import('ajv')>('ajv', import.meta.url);

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Whether a text is a time, RFC 3339. */
const isTime = (text: string): boolean => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));

const OPTIONS = {
  allErrors: false,
  useDefaults: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  // Schemas are the product's own and checked by its tests; at each start that would take a sixth of the time.
  validateSchema: false,
  meta: false,
  code: { optimize: false },
  // Dates and addresses are in replies only.
  formats: { uri: true, 'date-time': isTime, date: true },
} as const;
const ALL: Options = { allErrors: true, verbose: true };
/** The most faults of one value that a reply names. */
const FAULTS_TOLD = 20;
/** Characters of a member's name that are told. */
const NAME_TOLD = 64;
/** Made when first needed, because ajv takes a tenth of a start and five mebibytes. */
const instances: { exact?: Ajv; fromText?: Ajv } = {};
const exact = (): Ajv => (instances.exact ??= newAjv());
/** Path and query parameters arrive as text, so `"5"` is converted to 5 if the schema says integer. */
const fromText = (): Ajv => (instances.fromText ??= newAjv({ coerceTypes: true }));

/** Throws 503 `overloaded` if ajv cannot be loaded, such as for want of file descriptors. */
function newAjv(options: Options = {}): Ajv {
  let ajv;
  try {
    ajv = loadAjv();
  } catch (cause) {
    throw fail.overloaded('what checks requests cannot be loaded at the moment', { retryAfterSeconds: 5, cause });
  }
  return new ajv.Ajv({ ...OPTIONS, ...options });
}

/**
 * Validates values against a schema and fills in defaults. Compiles the schema at first use, because start-up time
 * matters and most routes are not used at once.
 */
export class Validator {
  readonly #schema: TSchema;
  readonly #isText: boolean;
  #check: ValidateFunction | undefined;
  #checkAll: ValidateFunction | undefined;

  constructor(schema: TSchema, options: { fromText?: boolean } = {}) {
    this.#schema = schema;
    this.#isText = options.fromText === true;
  }

  /** Returns what is wrong with the value; an empty list if nothing is. Writes defaults into the value. */
  issues(value: unknown): Issue[] {
    this.#check ??= (this.#isText ? fromText() : exact()).compile(this.#schema);
    if (!this.#check(value)) return (this.#check.errors ?? []).map(issueOf);
    return this.#isText ? infinite(value as Readonly<Record<string, unknown>>) : [];
  }

  /** Returns all that is wrong with a value that has issues, in plain words; of many faults the first ones. */
  faults(value: unknown): Issue[] {
    this.#checkAll ??= newAjv({ ...ALL, coerceTypes: this.#isText }).compile(this.#schema);
    return violationsIn(this.#checkAll, value)
      .slice(0, FAULTS_TOLD)
      .map((each) => ({ path: told(each.path), message: inPlainWords(each, { isText: this.#isText }) }));
  }
}

/** Returns a path whose names are short enough to be told: a client may have sent any. */
function told(path: string): string {
  return path
    .split('/')
    .map((name) => (name.length > NAME_TOLD ? `${name.slice(0, NAME_TOLD)}…` : name))
    .join('/');
}

/** Returns what is wrong with settings, as `Validator.issues` does, and without ajv if nothing is. */
export function settingsIssues(schema: TSchema, settings: unknown): Issue[] {
  return plainlyFits(schema, settings) ? [] : new Validator(schema).issues(settings);
}

/** Returns all that is wrong with a value, not the first fault only. Writes defaults into the value. */
export function violations(schema: TSchema, value: unknown): Violation[] {
  return violationsIn(newAjv(ALL).compile(schema), value);
}

function violationsIn(check: ValidateFunction, value: unknown): Violation[] {
  if (check(value)) return [];
  const errors = check.errors ?? [];
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => schemaPath);
  return errors
    .filter(({ schemaPath }) => !unions.some((union) => schemaPath.startsWith(`${union}/`)))
    .map((error) => ({
      ...issueOf(error),
      keyword: error.keyword,
      params: error.params as Record<string, unknown>,
      schema: error.parentSchema as TSchema,
      value: error.data,
    }));
}

/** Returns the defaults of a schema's members, without compiling it: what validating `{}` would fill in. */
export function schemaDefaults(schema: TSchema): Record<string, unknown> {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>);
  return Object.fromEntries(
    members.flatMap(([name, member]): [string, unknown][] => {
      if (!('default' in member)) return [];
      const value: unknown = structuredClone(member['default']);
      const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
      return [[name, isPlain ? { ...schemaDefaults(member), ...value } : value]];
    }),
  );
}

/** Rejects numbers such as `1e309`, which becomes Infinity and passes as an integer within any bounds. */
function infinite(values: Readonly<Record<string, unknown>>): Issue[] {
  for (const name in values)
    if (values[name] === Infinity || values[name] === -Infinity)
      return [{ path: `/${name}`, message: 'must be a finite number' }];
  return [];
}

function issueOf(error: ErrorObject): Issue {
  const params = error.params as Record<string, unknown>;
  const member = params['additionalProperty'] ?? params['missingProperty'];
  const path = member === undefined ? error.instancePath : `${error.instancePath}/${String(member)}`;
  if (error.keyword === 'additionalProperties') return { path, message: 'is not known here' };
  if (error.keyword === 'required') return { path, message: 'is required' };
  const allowed = params['allowedValues'];
  return {
    path,
    message: Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : (error.message ?? 'is not valid'),
  };
}
