import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { invalid } from '../../kernel/errors.ts';
import { isBytes } from '../../kernel/contract/incoming-body.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { RouteInput } from '../../kernel/contract/route-calls.ts';
import type { TSchema } from '../../kernel/schema.ts';

type Members = Readonly<Record<string, unknown>>;
type Values = NonNullable<RouteInput['query']>;

/** Media types of answers that may have no end, or be of any length. */
const STREAMED = new Set(['text/event-stream', 'application/octet-stream']);

/**
 * Whether a route is a tool: what API tokens may use, except streams, bytes of any length, what serves our own pages, what another
 * route does too, and what reads the token itself, which is not passed on.
 */
export function isTool({ access, scopes, described, body, produces = [] }: RouteInfo): boolean {
  if (scopes === undefined || access === 'guest' || isBytes(body)) return false;
  return described !== false && !produces.some((type) => STREAMED.has(type));
}

/** Returns the name of a route's tool, with no character that a client or a model provider refuses. */
export function toolName({ plugin, name }: RouteInfo): string {
  return `${plugin}_${name}`;
}

/** Describes a route to agents: the members of path, query and body are the arguments, side by side. */
export function toTool(route: RouteInfo): Tool {
  const { method, summary, description, params, query, body } = route;
  const parts = [params, query, body].filter((part) => part !== undefined);
  return {
    name: toolName(route),
    title: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    inputSchema: {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, object>,
      required: parts.flatMap(requiredOf),
      additionalProperties: false,
    },
    annotations: {
      title: summary,
      readOnlyHint: method === 'GET',
      destructiveHint: method !== 'GET',
      idempotentHint: ['GET', 'PUT', 'DELETE'].includes(method),
      openWorldHint: false,
    },
  };
}

/** Names of the members that have no default. */
function requiredOf(part: TSchema): string[] {
  const { required = [], properties } = part as unknown as { required?: string[]; properties: Record<string, Members> };
  return required.filter((name) => properties[name]?.['default'] === undefined);
}

/**
 * Sorts a tool's arguments into what a client of its route would send; the route's schemas check the values. Errors: 400 for
 * unknown names, for a part of the path that is missing, and for lists and objects in path or query.
 */
export function routeInput({ params, query, body }: RouteInfo, given: Members): RouteInput {
  const isIn = (part: TSchema | undefined, name: string) => Object.hasOwn((part?.['properties'] ?? {}) as object, name);
  const path: [string, string | number | boolean][] = [];
  const search: typeof path = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (isIn(params, name)) path.push([name, plain(name, value)]);
    else if (isIn(query, name)) search.push([name, plain(name, value)]);
    else if (isIn(body, name)) rest.push([name, value]);
    else throw invalid('arguments', [{ path: `/${name}`, message: 'is not known here' }]);
  }
  // An empty one is no part of a path, so that no client can send it.
  const missing = Object.keys(params?.properties ?? {}).find(
    (name) => !path.some(([key, v]) => key === name && v !== ''),
  );
  if (missing !== undefined) throw invalid('arguments', [{ path: `/${missing}`, message: 'is required' }]);
  return {
    params: Object.fromEntries(path) as Values,
    query: Object.fromEntries(search) as Values,
    ...(body && { body: Object.fromEntries(rest) }),
  };
}

function plain(name: string, value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw invalid('arguments', [{ path: `/${name}`, message: 'must be a text, a number, true or false' }]);
}
