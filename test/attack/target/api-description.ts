import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Address } from '../../../kernel/contract/route-spec.ts';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A reply of an operation, for one status. */
export interface DescribedReply {
  /** By media type; `undefined` allows any body. */
  readonly contents: ReadonlyMap<string, ValidateFunction | undefined>;
  /** Error codes that the description names for the status. */
  readonly codes: ReadonlySet<string>;
}

/** An operation of the API description, with its compiled schemas. */
export interface Operation {
  /** `user` or `admin`, and the operationId. */
  readonly id: string;
  readonly address: Address;
  readonly method: string;
  /** `/api/things/{id}` */
  readonly path: string;
  readonly tag: string;
  /** Whether it works without a token. */
  readonly isGuest: boolean;
  /** Whether a token may be sent. */
  readonly takesToken: boolean;
  /** Any one of them grants access; empty when no feature is required. */
  readonly features: readonly string[];
  readonly isStream: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly replies: ReadonlyMap<number, DescribedReply>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description?: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
    >
  >;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-hostkeep-feature'?: readonly string[];
}

/** Returns all operations of an API description. */
export function operationsOf(address: Address, document: Document): Operation[] {
  // A thousand replies refer to one schema with a thousand error codes, of which it would make a thousand copies.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false, loopEnum: 20 });
  ajv.addSchema({ $id: 'description', components: document.components });
  const compile = remembered((schema: Schema): ValidateFunction => ajv.compile(rebased(schema)));
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, each]): Operation => {
      const content = each.responses['200']?.content ?? {};
      return {
        id: `${address} ${each.operationId}`,
        address,
        method: method.toUpperCase(),
        path,
        tag: each.tags[0] ?? '',
        isGuest: each.security.length === 0 || each.security.some((way) => Object.keys(way).length === 0),
        takesToken: each.security.some((way) => Object.keys(way).length > 0),
        features: each['x-hostkeep-feature'] ?? [],
        isStream: content['text/event-stream'] !== undefined,
        parameters: each.parameters ?? [],
        body: inlined(each.requestBody?.content['application/json']?.schema, document),
        replies: new Map(
          Object.entries(each.responses).map(([status, { description = '', content: types = {} }]) => [
            Number(status),
            {
              contents: new Map(
                Object.entries(types).map(([type, { schema }]) => [
                  type,
                  schema === undefined || !type.endsWith('json') ? undefined : compile(schema),
                ]),
              ),
              codes: new Set([...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code)),
            },
          ]),
        ),
      };
    }),
  );
}

/** Puts the components that a schema refers to in the place of the references, for generators that know none. */
function inlined<T>(schema: T, document: Document): T {
  if (Array.isArray(schema)) return schema.map((each: unknown) => inlined(each, document)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference } = schema as { readonly $ref?: unknown };
  if (typeof reference === 'string') {
    const [kind = '', name = ''] = reference.slice('#/components/'.length).split('/');
    const components = document.components as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    return inlined(components[kind]?.[name], document) as T;
  }
  return Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, inlined(each, document)])) as T;
}

/** Returns a function that is asked once for schemas that read alike. */
export function remembered<T>(make: (schema: Schema) => T): (schema: Schema) => T {
  const made = new Map<string, T>();
  return (schema) => {
    const key = JSON.stringify(schema);
    const known = made.get(key) ?? make(schema);
    made.set(key, known);
    return known;
  };
}

/** Redirects references to the document's components to the schema id under which they were added. */
function rebased(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"description#/components/')) as Schema;
}

/** Returns the methods of each path, sorted as in `Allow`. */
export function methodsByPath(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { address, path, method } of operations) {
    const methods = found.get(`${address} ${path}`) ?? new Set();
    for (const each of method === 'GET' ? ['GET', 'HEAD'] : [method]) methods.add(each);
    found.set(`${address} ${path}`, methods);
  }
  return new Map([...found].map(([path, methods]) => [path, [...methods].toSorted()]));
}
