/** What clients rely on in a description: operations with what they take and return, without texts and examples. */
import { resolved } from './description.ts';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly required: boolean;
  readonly schema: Schema;
}

export interface SurfaceOperation {
  /** By `<in> <name>`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly body: Schema | null;
  /** By `<status> <media type>`. */
  readonly replies: Readonly<Record<string, Schema>>;
  /** Codes of errors. */
  readonly errors: readonly string[];
  readonly needsToken: boolean;
}

export interface Surface {
  /** Names of schemas, which are types of generated clients. */
  readonly schemas: readonly string[];
  /** By `<METHOD> <path>`. */
  readonly operations: Readonly<Record<string, SurfaceOperation>>;
}

interface DescribedOperation {
  readonly parameters?: readonly (Parameter & { readonly name: string; readonly in: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
        readonly 'x-hostkeep-errors'?: readonly string[];
      }
    >
  >;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const TEXTS: ReadonlySet<string> = new Set(['description', 'examples', 'format', 'readOnly', 'writeOnly']);

export function surfaceOf(description: Description): Surface {
  const operations = Object.entries(resolved(description).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operationOf(operation)]),
  );
  return {
    schemas: Object.keys(description.components.schemas),
    operations: Object.fromEntries(operations) as Surface['operations'],
  };
}

function operationOf({ parameters = [], requestBody, responses, security }: DescribedOperation): SurfaceOperation {
  const body = requestBody?.content['application/json']?.schema;
  const replies = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content)
      .filter(([type]) => type !== 'application/problem+json')
      .map(([type, { schema }]) => [`${status} ${type}`, withoutTexts(schema)]),
  );
  return {
    parameters: Object.fromEntries(
      parameters.map((each) => [
        `${each.in} ${each.name}`,
        { required: each.required, schema: withoutTexts(each.schema) },
      ]),
    ),
    body: body === undefined ? null : withoutTexts(body),
    replies: Object.fromEntries(replies) as SurfaceOperation['replies'],
    errors: Object.values(responses).flatMap((response) => response['x-hostkeep-errors'] ?? []),
    needsToken: security.length > 0 && security.every((each) => Object.keys(each).length > 0),
  };
}

function withoutTexts(schema: Schema): Schema {
  const members = (of: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(of).map(([name, each]) => [name, withoutTexts(each)]));
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !TEXTS.has(keyword))
      .map(([keyword, value]) => {
        if (keyword === 'properties') return [keyword, members(value as Readonly<Record<string, Schema>>)];
        if (Array.isArray(value))
          return [keyword, value.map((each: unknown) => (isSchema(each) ? withoutTexts(each) : each))];
        return [keyword, isSchema(value) ? withoutTexts(value) : value];
      }),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
