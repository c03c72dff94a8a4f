import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Endpoint } from './schema.ts';

/** Names in the schemas' examples, and names of this node that stand for them where nothing is changed. */
export type Existing = Readonly<Record<string, string>>;

/**
 * Lists the routes of the admin address that the API's description has, with an example command; each alias has a row of its own.
 */
export function endpoints(routes: readonly RouteInfo[], url: string, existing: Existing): Endpoint[] {
  return routes
    .filter(({ address, described }) => address === 'admin' && described !== false)
    .flatMap((route) =>
      route.paths.map((path) => ({
        method: route.method,
        path,
        description: route.summary,
        example: curl(route, path, url, route.method === 'GET' ? existing : {}),
      })),
    );
}

function curl(route: RouteInfo, path: string, url: string, existing: Existing): string {
  const concrete = path.replace(/[:*](\w+)/g, (_, name: string) => {
    const value = String(exampleOf(route.params?.properties[name], name));
    return encodeURIComponent(existing[value] ?? value);
  });
  const query = Object.entries(route.query?.properties ?? {}).filter(
    ([name, schema]) => route.query?.required?.includes(name) === true && schema['default'] === undefined,
  );
  const queryText = query
    .map(([name, schema], i) => `${i === 0 ? '?' : '&'}${name}=${encodeURIComponent(String(exampleOf(schema, name)))}`)
    .join('');
  const needsToken = route.access !== 'guest' || route.headers?.includes('authorization') === true;
  return [
    'curl',
    ...(route.produces?.includes('text/event-stream') === true ? ['-N'] : []),
    ...(route.method === 'GET' ? [] : ['-X', route.method]),
    ...(needsToken ? ['-H', '"Authorization: Bearer $TOKEN"'] : []),
    ...(route.body === undefined
      ? []
      : ['-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(exampleOf(route.body, 'body')))]),
    quoted(`${url}${concrete}${queryText}`),
  ].join(' ');
}

/** The part of JSON Schema from which an example is built. */
interface Described {
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly type?: string;
  readonly minimum?: number;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Described>>;
}

/**
 * Returns a value that fits a schema: its example or default, otherwise an object of its required members. A text that
 * only the caller knows is the member's name in capitals.
 */
function exampleOf(schema: Described | undefined, name: string): unknown {
  const given = schema?.examples?.[0] ?? schema?.default ?? schema?.const ?? schema?.enum?.[0];
  if (schema === undefined || given !== undefined) return given ?? name.toUpperCase();
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], name);
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((member) => [member, exampleOf(schema.properties?.[member], member)]),
    );
  if (schema.type === 'array') return [];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return schema.type === 'boolean' ? true : name.toUpperCase();
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
