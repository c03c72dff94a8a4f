/**
 * Streams between nodes of several processes each: what ends them, and what gives their places back.
 *
 */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import * as assert from '../../../support/assert.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { NodeProcess } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('fleet streams');
/** Of one administrator, at one node. */
const PLACES = 2;
const config = {
  plugins: { containers: false, webserver: false },
  usage: { streams_of_admin: PLACES, interval_ms: 1000 },
};
const SETTINGS = { workers: 2, config };
const AT_TWO = '/api/usage/stream?node=two';
const EVENTS = '/api/events/stream';
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [NodeProcess, NodeProcess];

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('streams'));
  first = await fleet.start(one, { ann: 'user', root: 'admin' }, SETTINGS);
  second = await fleet.start(two, {}, SETTINGS);
  for (const node of [first, second]) await node.line(/all workers serve/);
});

/** An answer as it comes, on a connection of its own, which any worker may have. */
class Streamed {
  readonly #response: IncomingMessage;
  text = '';
  /** How it ended; `undefined` while it goes on. */
  outcome: 'whole' | 'broken' | undefined;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('data', (chunk) => (this.text += String(chunk)));
    response.on('end', () => (this.outcome = 'whole'));
    response.on('error', () => (this.outcome = 'broken'));
  }

  static async open(node: NodeProcess, path: string, token: string): Promise<Streamed> {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(node.url('admin') + path, { agent: false, headers }).end();
    return new Streamed((await once(sent, 'response'))[0] as IncomingMessage);
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get retryAfter(): string | undefined {
    return this.#response.headers['retry-after'];
  }

  /** Waits for what comes from now on. */
  async hears(part: string): Promise<void> {
    const { length } = this.text;
    await until(`${part} comes`, () => this.text.includes(part, length));
  }

  ends(): Promise<void> {
    return until('the stream ends', () => this.outcome !== undefined);
  }

  leave(): void {
    this.#response.destroy();
  }
}

const loginAt = (node: NodeProcess): Promise<string> => node.login('root', undefined, 'admin');

/** Opens a stream as soon as there is a place. */
async function placed(token: string, node = first, path = AT_TWO): Promise<Streamed> {
  for (let found: Streamed | undefined; ;) {
    await until('there is a place', async () => {
      found = await Streamed.open(node, path, token);
      return found.status === 200;
    });
    if (found !== undefined) return found;
  }
}

/** Takes all places; resolves once no worker of either node has another one. */
async function allPlaced(token: string): Promise<Streamed[]> {
  const streams: Streamed[] = [];
  for (let i = 0; i < PLACES; i += 1) streams.push(await placed(token));
  for (const node of [first, second, first, second])
    await until('there is no other place', async () => {
      const more = await Streamed.open(node, AT_TWO, token);
      more.leave();
      return more.status === 503;
    });
  return streams;
}

async function toggle(node: NodeProcess, method: string, token: string): Promise<void> {
  const path = '/api/accounts/ann/features/dns';
  const { status, body } = await node.ask(path, { method, token, address: 'admin' });
  assert.is(status, 200, JSON.stringify(body));
}

async function killWorker(node: NodeProcess, pid: number): Promise<void> {
  const complete = () => node.output.match(/all workers serve/g)?.length ?? 0;
  const before = complete();
  process.kill(pid, 'SIGKILL');
  await until('another one takes its place', () => complete() > before);
}

const refusalOf = async (node: NodeProcess, path: string, token: string): Promise<string> => {
  const answer = await Streamed.open(node, path, token);
  await answer.ends();
  return `${answer.status} ${String((JSON.parse(answer.text) as { error?: string }).error)} ${answer.retryAfter ?? ''}`;
};

test('who may not have a stream gets none, and another name is no node', async () => {
  assert.is(await refusalOf(first, AT_TWO, ''), '401 authentication_required ');
  assert.is(await refusalOf(first, AT_TWO, await first.login('ann')), '401 authentication_required ');
  const token = await loginAt(first);
  for (const node of [first, second])
    assert.is(await refusalOf(node, '/api/usage/stream?node=three', token), '404 node_not_found ');
});

test('a forwarded stream outlives account changes and frees its place', async () => {
  const token = await loginAt(first);
  const [stays, leaves] = (await allPlaced(token)) as [Streamed, Streamed];
  for (const node of [first, second]) for (const method of ['PUT', 'DELETE']) await toggle(node, method, token);
  await stays.hears('event: sample');
  await stays.hears('event: sample');
  assert.is(stays.outcome, undefined);
  leaves.leave();
  const next = await placed(token);
  assert.is(stays.outcome, undefined);
  for (const each of [stays, next]) each.leave();
});

test('a stream of events has what happens on any node, on any worker', async () => {
  const token = await loginAt(first);
  const streams = await Promise.all([first, first, second, second].map((node) => placed(token, node, EVENTS)));
  for (const [node, method] of [
    [first, 'PUT'],
    [second, 'DELETE'],
  ] as const) {
    const heard = streams.map((each) => each.hears('feature.toggled'));
    await toggle(node, method, token);
    await Promise.all(heard);
  }
  for (const each of streams) each.leave();
});

test('a session that ends on one node ends its streams on all', async () => {
  for (const node of [second, first]) {
    const token = await loginAt(first);
    const streams = [
      ...(await allPlaced(token)),
      ...(await Promise.all([first, second].map((each) => placed(token, each, EVENTS)))),
    ];
    const out = await node.ask('/api/logout', { method: 'POST', token, address: 'admin' });
    assert.is(out.status, 200, JSON.stringify(out.body));
    for (const each of streams) await each.ends();
    for (const each of await allPlaced(await loginAt(second))) each.leave();
  }
});

test('a worker that dies at either end breaks its streams and frees their places', async () => {
  const token = await loginAt(first);
  const near = await allPlaced(token);
  for (const pid of first.children) await killWorker(first, pid);
  for (const each of near) {
    await each.ends();
    assert.is(each.outcome, 'broken');
  }
  const far = await allPlaced(token);
  const leader = await eventually('a worker leads', () => second.leaderOf(two.data), Boolean); // it listens to the other nodes
  await killWorker(second, leader as number);
  for (const each of far) {
    await each.ends();
    assert.is(each.outcome, 'broken');
  }
  for (const each of await allPlaced(token)) each.leave();
});

test('a node that dies breaks the streams that it sends, and is 503 until it is back', async () => {
  const token = await loginAt(first);
  const [streams, events] = [await allPlaced(token), await placed(token, first, EVENTS)];
  await second.end('SIGKILL');
  for (const each of streams) {
    await each.ends();
    assert.is(each.outcome, 'broken');
  }
  await until('it is gone', async () => (await refusalOf(first, AT_TWO, token)) === '503 node_unreachable 1');
  assert.is(events.outcome, undefined, 'what is in the store goes on');
  second = await fleet.start(two, {}, SETTINGS);
  await second.line(/all workers serve/);
  for (const each of [events, ...(await allPlaced(token))]) each.leave();
});
