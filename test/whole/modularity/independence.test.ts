/**
 * Feature areas are switched on and off independently: with plugins off, every route of all others answers an allowed request
 * on the demo's content as before, with the same members, and the routes of those plugins are gone. What routes lose without
 * another plugin, the rows of their plugin say.
 */
import * as assert from '../../support/assert.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { installedPlugins } from '../../../kernel/host/discovery.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { membersOf } from '../../support/members.ts';
import { byRoute, startSurroundings, type Lost } from '../../support/plugin-rows.ts';
import { testSuite } from '../../support/suite.ts';
import { lossesWithout, walk } from '../../support/walk.ts';
import { groupsOf } from './groups.ts';

const unwalked = await byRoute((rows) => rows.unwalked);
let surroundings: Awaited<ReturnType<typeof startSurroundings>>;

interface Answered {
  readonly status: number;
  /** See `membersOf`. */
  readonly members: readonly string[];
}

/** Resolves with the answers of all routes, by plugin, name and address, while the plugins `off` are switched off. */
async function answers(off: readonly string[] = []): Promise<Map<string, Answered>> {
  const server = await TestServer.start({ config: surroundings.config });
  const gone = server.hostkeep.node.routes().filter(({ plugin }) => off.includes(plugin));
  const found = new Map<string, Answered>();
  try {
    for await (const { name, route, answer } of walk(server, () => undefined, off))
      found.set(name, { status: answer.status, members: membersOf(route.reply, answer.body) });
    const tokens = { user: (await server.user('ann')).token, admin: (await server.admin()).token };
    for (const route of server.hostkeep.node.routes().filter(({ plugin, name }) => unwalked.has(`${plugin}.${name}`)))
      found.set(`${route.plugin}.${route.name}`, { status: await statusOf(server, route, tokens), members: [] });
    for (const route of gone)
      assert.ok([404, 405].includes(await statusOf(server, route, tokens)), `${route.name} is gone`);
  } finally {
    await server.close();
  }
  return found;
}

/** Resolves with what is answered to a request that names nothing. */
async function statusOf(
  server: TestServer,
  { address, method, paths: [path = ''], produces }: RouteInfo,
  tokens: Readonly<Record<Address, string>>,
): Promise<number> {
  const isRead = method === 'GET';
  const { status } = await server.ask(path.replace(/[:*]\w+/g, 'x'), {
    method: isRead && produces !== undefined ? 'HEAD' : method, // a stream does not end
    address,
    token: tokens[address],
    ...(isRead ? {} : { body: {} }),
  });
  return status;
}

/** Asserts that a route answers as before, but for what its plugin's rows say of each plugin that is off. */
function assertSame(route: string, before: Answered, now: Answered | undefined, lost: readonly Lost[] = []): void {
  const statuses = lost.filter((each) => typeof each === 'number');
  if (statuses.length > 0) return assert.ok(statuses.includes(now?.status ?? 0), `${route}: ${now?.status}`);
  const isLost = (member: string) => lost.flat().some((each) => member.startsWith(String(each)));
  assert.is(now?.status, before.status, route);
  assert.equal(
    now?.members.filter((member) => !isLost(member)),
    before.members.filter((member) => !isLost(member)),
    route,
  );
}

let whole: Promise<Map<string, Answered>> | undefined;
/** Resolves with the answers while all plugins are on. */
const answersOfAll = () => (whole ??= answers());

/** Asserts that the routes of the others answer as before while plugins are off. */
async function assertIndependent(off: readonly string[]): Promise<void> {
  const before = await answersOfAll();
  const losses = await lossesWithout(off);
  for (const route of losses.keys()) assert.ok(before.has(route), `there is a row for ${route}, which nobody asks`);
  const now = await answers(off);
  for (const [route, answered] of before)
    if (!off.includes(route.split('.')[0] ?? '')) assertSame(route, answered, now.get(route), losses.get(route));
}

const names = installedPlugins().flatMap(({ name, isOptIn }) => (isOptIn ? [] : [name]));
const test = testSuite('independence');
// Started by a test, it would end with that test.
test.before(async () => void (surroundings = await startSurroundings()));
test.after(() => surroundings.close());

test('with all plugins on, every route answers', async () => {
  for (const [route, { status }] of await answersOfAll())
    if (!unwalked.has(route)) assert.ok(status < 400, `${route}: ${status}`);
});
for (const off of groupsOf(names))
  test(`the others answer as before without ${off.join(', ')}`, () => assertIndependent(off));
