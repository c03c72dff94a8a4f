import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Issue } from '../errors.ts';
import type { TSchema } from '../schema.ts';

const OPTIONS = {
  allErrors: false,
  useDefaults: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
} as const;
const FORMATS = { uri: true, 'date-time': true, date: true } as const;
const exact = new Ajv({ ...OPTIONS, formats: FORMATS });
/** Parameters and queries arrive as text, so `"5"` is taken as 5 where the schema says integer. */
const fromText = new Ajv({ ...OPTIONS, formats: FORMATS, coerceTypes: true });

/**
 * Checks values against a schema, filling in defaults. Compiled at the first use, because most routes of a
 * process are not asked in its first second and start-up is counted.
 */
export class Validator {
  readonly #schema: TSchema;
  readonly #ajv: Ajv;
  readonly #isText: boolean;
  #check: ValidateFunction | undefined;

  constructor(schema: TSchema, options: { fromText?: boolean } = {}) {
    this.#schema = schema;
    this.#isText = options.fromText === true;
    this.#ajv = this.#isText ? fromText : exact;
  }

  /** What is wrong with the value, empty when nothing is. Defaults are written into it. */
  issues(value: unknown): Issue[] {
    this.#check ??= this.#ajv.compile(this.#schema);
    if (!this.#check(value)) return (this.#check.errors ?? []).map(issueOf);
    return this.#isText ? infinite(value as Readonly<Record<string, unknown>>) : [];
  }
}

/** `1e309` is taken as Infinity, which passes for an integer within any bounds. */
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
