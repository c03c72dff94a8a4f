import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { requiredMembers } from './json-schema.ts';
import { asMembers, type Members } from './members.ts';

/**
 * Returns the links of a reply: from the creation of a thing to the list that contains it, and from either to every
 * change in the same plugin whose required input is in the reply under the same names.
 */
export function describeLinks(route: RouteInfo, all: readonly RouteInfo[]): Members {
  const known = pointersOf(route.reply);
  return Object.fromEntries(
    all
      .filter((target) => target.plugin === route.plugin && target !== route)
      .flatMap((target): [string, Members][] => {
        const operationId = `${target.plugin}.${target.name}`;
        if (isListOf(route, target)) return [[target.name, { operationId, description: target.summary }]];
        const inPath = pathNamesOf(target);
        const needed = [...inPath, ...requiredMembers(target.body)];
        if (
          target.method === 'GET' ||
          target.status === 201 ||
          needed.length === 0 ||
          !needed.every((name) => known.has(name))
        )
          return [];
        const of = (names: readonly string[]) =>
          Object.fromEntries(names.map((name) => [name, `$response.body#${known.get(name) ?? ''}`]));
        return [
          [
            target.name,
            {
              operationId,
              description: target.summary,
              ...(inPath.length > 0 && { parameters: of(inPath) }),
              ...(target.body && { requestBody: of(requiredMembers(target.body)) }),
            },
          ],
        ];
      }),
  );
}

/** `GET /things` for `POST /things` and `POST /things/new`. */
function isListOf(route: RouteInfo, target: RouteInfo): boolean {
  const [from = '', to = ''] = [route.paths[0], target.paths[0]];
  return route.status === 201 && target.method === 'GET' && (from === to || from === `${to}/new`);
}

function pathNamesOf({ paths: [path = ''] }: RouteInfo): string[] {
  return [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);
}

/** JSON pointers by member name: into a reply that is an object, and into the first item of each of its lists. */
function pointersOf(reply: TSchema): Map<string, string> {
  const pointers = new Map<string, string>();
  const add = (schema: Members, prefix: string) => {
    for (const name of Object.keys(asMembers(schema['properties'])))
      if (!pointers.has(name)) pointers.set(name, `${prefix}/${name}`);
  };
  add(reply, '');
  for (const [name, member] of Object.entries(asMembers(reply['properties'])))
    add(asMembers(asMembers(member)['items']), `/${name}/0`);
  add(asMembers(reply['items']), '/0');
  return pointers;
}
