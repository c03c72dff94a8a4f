import { STATUS_CODES } from 'node:http';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { findExample } from './examples.ts';
import { replySchema } from './json-schema.ts';
import { asMembers, type Members } from './members.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Scope } from './scope.ts';
import { describeLinks } from './links.ts';
import { describeProblems } from './problems.ts';

/** Returns all responses of a route, by status. */
export function describeResponses(route: RouteInfo, scope: Scope): Members {
  const responses: Record<string, unknown> = { ...successOf(route, scope), ...describeProblems(route, scope) };
  for (const [status, schema] of Object.entries(route.replies ?? {}))
    responses[status] = withReply(asMembers(responses[status]), { status, schema, named: scope.named });
  return responses;
}

function successOf(route: RouteInfo, { routes, examples, named }: Scope): Members {
  const { reply, produces = [], status = 200, headers = [] } = route;
  const isJson = produces.length === 0 || reply['type'] !== 'string'; // a string stands for a reply that is only text
  const links = describeLinks(route, routes);
  const schema = replySchema(reply, named);
  const produced = Object.fromEntries(
    produces.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' } : {} }]),
  );
  return {
    [status]: {
      description: describedBy(reply, status),
      ...(headers.includes('if-none-match') && {
        headers: { ETag: { description: 'For If-None-Match', schema: { type: 'string' } } },
      }),
      ...(status !== 204 && {
        content: {
          ...(isJson && { 'application/json': { schema, ...findExample(examples, route, 'reply') } }),
          ...produced,
        },
      }),
      ...(Object.keys(links).length > 0 && { links }),
    },
    ...(headers.includes('range') && { 206: { description: 'The range that the request names', content: produced } }),
    ...(headers.includes('if-none-match') && {
      304: { description: 'Not modified: the client has the current version' },
    }),
  };
}

/** Describes a status that a route uses both for a JSON reply and for problems. */
function withReply(
  problem: Members,
  { status, schema, named }: { status: string; schema: TSchema; named: NamedSchemas },
): Members {
  const description = [describedBy(schema, Number(status)), problem['description']]
    .filter((text) => text !== undefined)
    .join('. ');
  const content = { 'application/json': { schema: replySchema(schema, named) }, ...asMembers(problem['content']) };
  return { ...problem, description, content };
}

function describedBy(schema: TSchema, status: number): string {
  return typeof schema['description'] === 'string' ? schema['description'] : (STATUS_CODES[status] ?? 'Success');
}
