import { addDemoContent } from './demo-content.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Answer, TestServer } from './hostkeep.ts';
import { byRoute, type Lost, type Walked, type WalkRow } from './plugin-rows.ts';

/** How often what may pass is asked again. */
const RETRIES = 20;

export interface Step {
  /** Plugin and name of the route. */
  readonly name: string;
  readonly route: RouteInfo;
  readonly sent: unknown;
  readonly answer: Answer<Record<string, string>>;
  /** Answers that came too late, after which it was asked again. */
  readonly late: readonly Answer<Record<string, string>>[];
  /** Asks once more, with further headers. */
  readonly ask: (more?: Record<string, string>) => Promise<Answer<Record<string, string>>>;
}

/**
 * Sends one allowed request to every route on the demo's content. Rejects if a route needs input and no row provides
 * it. `leftOut` receives the content that a plugin could not create. The plugins `off` are switched off once there is content,
 * and their routes are left out. `before` is called ahead of each request.
 */
export async function* walk(
  server: TestServer,
  leftOut: (plugin: string, error: unknown) => void,
  off: readonly string[] = [],
  before: (route: RouteInfo) => void = () => undefined,
): AsyncGenerator<Step> {
  const { plugins } = server.hostkeep;
  const people = {
    demo: await server.account('demo'),
    other: await server.account('other', 'basic'),
    operator: await server.account('operator', '', 'admin'),
  };
  await server.ask('/api/login', { method: 'POST', body: { username: 'demo', password: 'wrong' } }); // which can be forgotten
  for (const part of await addDemoContent(server, people)) if (!part.ok) leftOut(part.plugin, part.error);
  for (const part of await plugins.gather('demoOutside', people))
    for (const line of part.ok ? (part.value.leftOut ?? []) : []) leftOut(part.plugin, line);
  const { config } = server.hostkeep.node;
  const switched = Object.fromEntries(off.map((name) => [name, false]));
  if (off.length > 0) await server.hostkeep.reconfigure({ ...config, plugins: { ...config.plugins, ...switched } });
  const tokens = { user: await server.token(people.demo), admin: await server.token(people.operator) };
  const walked: Walked = { server, people, session: async (of) => idIn(await server.token(of)) };
  const rows = await walkRows();
  const routes = byName(server.hostkeep.node.routes());
  const losses = await lossesWithout(off);
  for (const name of await orderOf(routes, rows, off)) {
    const route = routes.get(name) as RouteInfo;
    const { address } = route;
    const { path = route.paths[0] ?? '', headers = {}, body, keep } = (await rows.get(name)?.(walked)) ?? {};
    const isStream = route.produces?.includes('text/event-stream') === true;
    const method = isStream ? 'HEAD' : route.method; // a stream does not end
    const ask = (more: Record<string, string> = {}) =>
      server.ask<Record<string, string>>(path, {
        method,
        address,
        token: tokens[address],
        headers: { ...headers, ...more },
        ...(body === undefined ? {} : { body }),
      });
    before(route);
    const late: Step['late'][number][] = [];
    let answer = await ask();
    const isLost = losses.has(name);
    // What measures the machine may be too late on a busy one, and says when to ask again.
    for (let left = isLost ? 0 : RETRIES; left > 0 && answer.headers.has('retry-after'); left -= 1) {
      late.push(answer);
      await delay(Number(answer.headers.get('retry-after')) * 1000);
      answer = await ask();
    }
    yield { name, route, sent: body, answer, late, ask };
    keep?.(answer.body);
  }
}

/** Resolves with what other plugins lose by each of these that is off, by route. */
export async function lossesWithout(off: readonly string[]): Promise<Map<string, Lost[]>> {
  const losses = new Map<string, Lost[]>();
  for (const name of off)
    for (const [route, lost] of await byRoute(({ without }) => without?.[name]))
      losses.set(route, [...(losses.get(route) ?? []), lost]);
  return losses;
}

/** Routes by plugin and name; that of the admin address, where both have one, is called `<name> on admin`. */
function byName(routes: readonly RouteInfo[]): Map<string, RouteInfo> {
  const named = new Map<string, RouteInfo>();
  for (const route of routes) {
    const name = `${route.plugin}.${route.name}`;
    named.set(named.has(name) ? `${name} on ${route.address}` : name, route);
  }
  return named;
}

/** The rows of all plugins in order, those last after which others fail. */
async function walkRows(): Promise<ReadonlyMap<string, WalkRow>> {
  return new Map([...(await byRoute(({ walk }) => walk)), ...(await byRoute(({ walkAtLast }) => walkAtLast))]);
}

/** Routes that need no row first, then the rows in order. Rejects if rows and routes of plugins that are on do not belong together. */
async function orderOf(
  routes: ReadonlyMap<string, RouteInfo>,
  rows: ReadonlyMap<string, WalkRow>,
  off: readonly string[],
): Promise<readonly string[]> {
  const unwalked = await byRoute(({ unwalked: left }) => left);
  const plain = [...routes]
    .filter(
      ([name, { method, paths }]) =>
        !rows.has(name) && !unwalked.has(name) && method === 'GET' && !/[:*]/.test(paths[0] ?? ''),
    )
    .map(([name]) => name);
  const asked = [...plain, ...rows.keys()];
  const known = [...asked, ...unwalked.keys()];
  const unasked = [...routes.keys()].filter((name) => !known.includes(name));
  if (unasked.length > 0) throw new Error(`no row says how to request ${unasked.join(', ')}`);
  const gone = known.filter((name) => !routes.has(name) && !off.includes(name.split('.')[0] ?? ''));
  if (gone.length > 0) throw new Error(`there are rows for ${gone.join(', ')}, which no plugin has`);
  return asked.filter((name) => routes.has(name));
}

/** The id of a session in its token. */
function idIn(token: string): string {
  return (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti;
}
