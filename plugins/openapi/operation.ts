import { isBytes } from '../../kernel/contract/incoming-body.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import { inputSchema, requiredMembers } from './json-schema.ts';
import { asMembers, type Members } from './members.ts';
import { findExample } from './examples.ts';
import { describeResponses } from './responses.ts';
import type { Scope } from './scope.ts';

/** Converts a path to the notation of OpenAPI. */
export function pathTemplate(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

/** The operation object of a route under one of its paths. */
function operationOf(route: RouteInfo, path: string, scope: Scope): Members {
  const { plugin, name, summary, description, access, body, paths } = route;
  const nth = paths.indexOf(path);
  const parameters = [
    ...pathParameters(route, path, scope),
    ...queryParameters(route, scope),
    ...headerParameters(route),
  ];
  return {
    operationId: nth === 0 ? `${plugin}.${name}` : `${plugin}.${name}.${nth + 1}`,
    tags: [plugin],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(nth > 0 && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [isBytes(body) ? String(body['contentMediaType'] ?? 'application/octet-stream') : 'application/json']: {
            schema: inputSchema(body, scope.named),
            ...findExample(scope.examples, route, 'request'),
          },
        },
      },
    }),
    responses: describeResponses(route, scope),
    security:
      access === 'guest'
        ? route.headers?.includes('authorization') === true
          ? [{}, { bearer: [] }]
          : []
        : [{ bearer: [] }],
    ...(route.features.length > 0 && { 'x-hostkeep-feature': route.features }),
    ...(route.scopes !== undefined && {
      'x-hostkeep-scopes': route.scopes,
    }),
    ...(route.requiredFeatures.length > 0 && { 'x-hostkeep-also': route.requiredFeatures }),
  };
}

function pathParameters({ params }: RouteInfo, path: string, { named }: Scope): Members[] {
  return [...path.matchAll(/([:*])(\w+)/g)].map(([, kind, name = '']) => {
    const schema = inputSchema(params?.properties[name] ?? ({ type: 'string' } as never), named);
    const text = schema['description'] ?? 'Part of the path';
    return {
      name,
      in: 'path',
      required: true,
      description: kind === '*' ? `${String(text)}. Takes the rest of the path, slashes included` : text,
      schema,
    };
  });
}

function queryParameters({ query }: RouteInfo, { named }: Scope): Members[] {
  const required = requiredMembers(query);
  return Object.entries(query?.properties ?? {}).map(([name, schema]) =>
    parameter('query', name, inputSchema(schema, named), required.includes(name)),
  );
}

const HEADER_SCHEMAS: Readonly<Record<string, Members>> = {
  'if-none-match': { type: 'string', description: 'The ETag of the last answer: 304 while it is still current' },
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 257,
    description:
      'Chosen by the client, for example a UUID. For a day, the same request of this account with the same key does nothing more, ' +
      'and gets the same answer. Errors are not kept',
  },
};

/** Leaves out Authorization, which security schemes describe, and what every client sends. */
const UNTOLD = new Set(['authorization', 'user-agent', 'accept-encoding']);

function headerParameters({ headers = [], idempotencyKey }: RouteInfo): Members[] {
  return headers
    .filter((name) => !UNTOLD.has(name))
    .filter((name) => name !== 'idempotency-key' || idempotencyKey === 'kept')
    .map((name) => parameter('header', name, HEADER_SCHEMAS[name] ?? { type: 'string' }, false));
}

function parameter(where: 'query' | 'header', name: string, schema: Members, isRequired: boolean): Members {
  return {
    name,
    in: where,
    required: isRequired,
    ...(schema['description'] === undefined ? {} : { description: schema['description'] }),
    schema,
  };
}

/** Path items with the operations of the routes, in the order of the route table. */
export function pathItems(scope: Scope): Members {
  const items: Record<string, Record<string, Members>> = {};
  for (const route of scope.routes)
    for (const path of route.paths)
      (items[pathTemplate(path)] ??= {})[route.method.toLowerCase()] = operationOf(route, path, scope);
  return asMembers(items);
}
