import { STATUS_CODES } from 'node:http';
import type { RouteInfo } from '../../kernel/plugin-api/node-info.ts';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { exampleOf, type Examples } from './examples.ts';
import { membersOf, replySchema, type Members } from './json-schema.ts';
import { linksOf } from './links.ts';
import { problemsOf } from './problems.ts';

export interface Scope {
  readonly address: Address;
  /** The routes described, and hence the possible targets of links. */
  readonly routes: readonly RouteInfo[];
  readonly examples: Examples;
}

/** Returns all responses of a route, by status. */
export function responsesOf(route: RouteInfo, scope: Scope): Members {
  const responses: Record<string, unknown> = { ...successOf(route, scope), ...problemsOf(route, scope.address) };
  for (const [status, schema] of Object.entries(route.replies ?? {}))
    responses[status] = withReply(membersOf(responses[status]), status, schema);
  return responses;
}

function successOf(route: RouteInfo, { routes, examples }: Scope): Members {
  const { reply, produces = [], status = 200, headers = [] } = route;
  const isJson = produces.length === 0 || reply['type'] !== 'string'; // a string stands for a reply that is only text
  const links = linksOf(route, routes);
  const schema = replySchema(reply);
  return {
    [status]: {
      description: describedBy(schema, status),
      content: {
        ...(isJson && { 'application/json': { schema, ...exampleOf(examples, route, 'reply') } }),
        ...Object.fromEntries(
          produces.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' } : {} }]),
        ),
      },
      ...(Object.keys(links).length > 0 && { links }),
    },
    ...(headers.includes('if-none-match') && {
      304: { description: 'Not modified: the client has the current version' },
    }),
  };
}

/** Describes a status that a route uses both for a JSON reply and for problems. */
function withReply(problem: Members, status: string, reply: TSchema): Members {
  const schema = replySchema(reply);
  const description = [describedBy(schema, Number(status)), problem['description']]
    .filter((text) => text !== undefined)
    .join('. ');
  return { ...problem, description, content: { 'application/json': { schema }, ...membersOf(problem['content']) } };
}

function describedBy(schema: Members, status: number): string {
  return typeof schema['description'] === 'string' ? schema['description'] : (STATUS_CODES[status] ?? 'Success');
}
