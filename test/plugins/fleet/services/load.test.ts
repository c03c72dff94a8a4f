/**
 * Nodes of several processes each: what holds in workers holds in a fleet, also while a node joins, drains and leaves.
 *
 */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { NodeProcess } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('fleet under load');
const INSIDE = new URL('../../../support/inside-node.js', import.meta.url).href;
/** Between two requests of a client: without it, it would keep the processors from the nodes. */
const PAUSE_MS = 10;
const SETTINGS = { workers: 2, config: { plugins: { containers: false, webserver: false } } };
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [NodeProcess, NodeProcess];
let [ann, ben, admin] = ['', '', ''];

test.before(async () => {
  fleet = new TestFleet('load');
  one = await fleet.init('one');
  first = await fleet.start(one, { ann: 'user', root: 'admin' }, SETTINGS);
  await first.line(/all workers serve/);
  ann = await first.login('ann');
  admin = await first.login('root', undefined, 'admin');
});

/** Sends a request on a connection of its own, which any worker may have. */
async function send(node: NodeProcess, path: string, token: string, body?: unknown): Promise<IncomingMessage> {
  const sent = request(node.url() + path, {
    method: body === undefined ? 'GET' : 'PUT',
    agent: false,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return (await once(sent, 'response'))[0] as IncomingMessage;
}

async function answerTo(...args: Parameters<typeof send>): Promise<string> {
  const response = await send(...args);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return response.statusCode === 200 ? '200' : `${response.statusCode} ${text}`;
}

/** Asks for what is at the home of the account, and for what is in the store. */
const both = async (node: NodeProcess, token: string): Promise<string> =>
  [
    await answerTo(node, '/api/folders', token),
    await answerTo(node, '/api/favorites', token, { link: '/files', title: 'Files' }),
  ].join();

/** Asks the first node every `PAUSE_MS` while `work` runs, and resolves with the kinds of answers. */
async function during(work: () => Promise<unknown>): Promise<string[]> {
  const over = new AbortController();
  const kinds = new Set<string>();
  const asking = (async () => {
    for (; !over.signal.aborted; await delay(PAUSE_MS)) kinds.add(await both(first, ann).catch(String));
  })();
  try {
    await work();
  } finally {
    over.abort();
    await asking;
  }
  return [...kinds];
}

const asOperator = async (...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await fleet.run(one.data, ['fleet', ...args]);
  assert.is(code, 0, stderr);
};

test('a node serves without an error while another joins, and that one is right', async () => {
  const kinds = await during(async () => {
    two = await fleet.join(one, 'two');
    second = await fleet.start(two, { ben: 'user' }, SETTINGS);
    assert.is(await both(second, ann), '200,200');
    await second.line(/all workers serve/);
    ben = await first.login('ben');
    assert.is(await both(first, ben), '200,200');
  });
  assert.equal(kinds, ['200,200']);
});

test('all workers of both nodes answer, and toggles and logouts apply in all', async () => {
  const everywhere = (path: string, token: string) =>
    Promise.all([first, second].flatMap((node) => Array.from({ length: 12 }, () => answerTo(node, path, token))));
  for (const token of [ann, ben]) assert.equal([...new Set(await everywhere('/api/folders', token))], ['200']);
  const toggled = await first.ask('/api/accounts/ben/features/filemanager', {
    method: 'DELETE',
    token: admin,
    address: 'admin',
  });
  assert.is(toggled.status, 200, JSON.stringify(toggled.body));
  await until('it holds everywhere', async () =>
    (await everywhere('/api/folders', ben)).every((answer) => answer.startsWith('403')),
  );
  await first.ask('/api/accounts/ben/features/filemanager', { method: 'PUT', token: admin, address: 'admin' });
  await until('it is lifted everywhere', async () =>
    (await everywhere('/api/folders', ben)).every((answer) => answer === '200'),
  );
  const leaving = await second.login('ann');
  assert.is((await first.ask('/api/logout', { method: 'POST', token: leaving })).status, 200);
  await until('the session is over everywhere', async () =>
    (await everywhere('/api/folders', leaving)).every((answer) => answer.startsWith('401')),
  );
});

test('a killed worker at one node costs the other nothing and is replaced', async () => {
  const own = await during(async () => {
    for (const each of second.children) {
      const before = second.children;
      process.kill(each, 'SIGKILL');
      await until('another one takes its place', () => second.children.some((now) => !before.includes(now)));
      await until('what is there is answered again', async () => (await both(first, ben)) === '200,200');
    }
  });
  assert.equal(own, ['200,200']);
});

test('a node drains, leaves and ends while the other serves without an error', async () => {
  const kinds = await during(async () => {
    await asOperator('drain', 'two');
    const purge = { method: 'DELETE', token: admin, address: 'admin' } as const;
    // a busy node may not end it in time, and says so
    await eventually(
      'ben is purged',
      async () => JSON.stringify((await first.ask('/api/accounts/ben?purge=true', purge)).body),
      (report) => report.includes('"state":"complete"'),
    );
    assert.is(await second.end(), 0, second.output.slice(-2000));
    const left = await fleet.run(two.data, ['fleet', 'leave', '--yes']);
    assert.is(left.code, 0, left.stderr);
    await until('it is not one of the nodes', async () => {
      const { body } = await first.ask<{ nodes: unknown[] }>('/api/fleet', { token: admin, address: 'admin' });
      return body.nodes.length === 1;
    });
  });
  assert.equal(kinds, ['200,200']);
});

test('nodes whose clocks are a minute apart accept the sessions of each other', async () => {
  const member = await fleet.join(one, 'three');
  const ahead = await fleet.start(member, { cleo: 'user' }, { inside: INSIDE });
  await ahead.tell({ clockMs: 59_000 });
  const [fromAhead, fromBehind] = [await ahead.login('cleo'), await first.login('cleo')];
  for (const node of [first, ahead])
    for (const token of [fromAhead, fromBehind, ann]) assert.is(await both(node, token), '200,200');
  const states = async () => {
    const { body } = await first.ask<{ nodes: { name: string; state: string }[] }>('/api/fleet', {
      token: admin,
      address: 'admin',
    });
    return body.nodes.map(({ name, state }) => `${name} ${state}`).join();
  };
  await eventually('both have said that they are there', states, (now) => now === 'one up,three up');
});
