/** What a node takes of the connections of PostgreSQL: one of its processes listens for all, and the others share a number. */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { copyFileSync } from 'node:fs';
import { openCore, type Core } from '../../../../kernel/run/core.ts';
import { HttpError } from '../../../../kernel/errors.ts';
import { createLog } from '../../../../kernel/log.ts';
import { openStore } from '../../../../kernel/run/data/open-store.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { Leadership } from '../../../../kernel/workers/leadership.ts';
import { topic } from '../../../../kernel/workers/topic.ts';
import { soleWorker } from '../../../../kernel/workers/sole-worker.ts';
import type { Workers } from '../../../../kernel/workers/workers.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig } from '../../../support/hostkeep.ts';
import { freePort } from '../../../support/port.ts';
import { MAY_IDLE, Postgres, schemaAt } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('store connections');
const log = createLog('silent');
let server: Postgres;
const opened = new Set<{ close(): Promise<void> }>();
test.before(async () => void (server = Postgres.start(['fsync=off'], await freePort())));
test.after.each(async () => {
  await Promise.all([...opened].map((each) => each.close()));
  opened.clear();
});
test.after(() => server.remove());

const urlOf = (schema: string, ...hosts: readonly string[]) => {
  const [host, url] = [server.host, `postgres://postgres@${server.host}/postgres?sslmode=disable`];
  return schemaAt(url, schema).replace(host, [host, ...hosts].join());
};
const PID = 'select pg_backend_pid() as pid';

/** The processes of one node, in one process: what one says, the others hear, unless the channel is cut. */
class Channel {
  isCut = false;
  looks = 0;
  readonly #ends: { readonly topic: string; readonly number: number; listener(value: unknown): void }[] = [];

  end(number: number, count: number): Workers {
    return {
      ...soleWorker(),
      count,
      number,
      perWorker: (all) => Math.max(1, Math.floor(all / count)),
      publish: ({ name: topic }, value) => {
        if ((value as { kind?: string }).kind === 'looked') this.looks += 1;
        if (this.isCut) return;
        const others = this.#ends.filter((each) => each.topic === topic && each.number !== number);
        for (const { listener } of others) listener(JSON.parse(JSON.stringify(value)));
      },
      subscribe: ({ name: topic }, listener) => {
        const end = { topic, number, listener: listener as (value: unknown) => void };
        this.#ends.push(end);
        return () => void this.#ends.splice(this.#ends.indexOf(end), 1);
      },
    };
  }
}

async function coreOf(url: string, folder: string, place?: Parameters<typeof openCore>[2]): Promise<Core> {
  const core = await openCore(testConfig(folder, { store: { url, stale_seconds: 300 } }), log, place);
  opened.add(core);
  return core;
}

interface Node {
  readonly leader: Core;
  readonly followers: readonly Core[];
  readonly channel: Channel;
  /** Another node, which changes the store. */
  readonly other: Core;
  /** The id of `ann`. */
  readonly id: number;
}

/** A node of three processes beside another node, with an account `ann`. */
async function nodeOfThree(schema: string): Promise<Node> {
  const [folder, beside, url, channel] = [temporaryFolder(), temporaryFolder(), urlOf(schema), new Channel()];
  const cores: Core[] = [];
  for (const number of [1, 2, 3])
    cores.push(
      await coreOf(url, folder, {
        leadership: await Leadership.among(folder, log),
        workers: channel.end(number, 3),
      }),
    );
  const [leader, ...followers] = cores as [Core, ...Core[]];
  const { id } = await leader.accounts.create({ username: 'ann', role: 'user', plan: 'developer', passwordHash: 'x' });
  copyFileSync(join(folder, 'keys.json'), join(beside, 'keys.json'));
  return { leader, followers, channel, id, other: await coreOf(url, beside) };
}

/** Changes `ann` at the other node, and waits until each of these processes knows. */
async function assertFollows({ other, id }: Node, cores: readonly Core[]): Promise<void> {
  for (const on of [true, false]) {
    for (const { accounts } of cores) await accounts.byId(id);
    await other.accounts.setFeature('ann', 'waf', on);
    await until('all know', async () => {
      const known = await Promise.all(cores.map(({ accounts }) => accounts.byId(id)));
      return known.every((account) => account?.features.has('waf') === on);
    });
  }
}

const listeners = async ({ other }: Node): Promise<number[]> => {
  const rows = await other.store.all<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'hostkeep listener' order by pid",
  );
  return rows.map(({ pid }) => pid);
};

test('one process of a node listens and looks, and the others need not ask', async () => {
  const node = await nodeOfThree('one listener');
  assert.is((await listeners(node)).length, 2, 'the other node has its own');
  await assertFollows(node, [node.leader, ...node.followers]);
  let asked = 0;
  for (const { store } of node.followers) {
    const all = store.all.bind(store);
    store.all = (sql, ...params) => {
      asked += 1;
      return all(sql, ...params);
    };
  }
  await until('the looks of one are enough', async () => {
    const before = [asked, node.channel.looks + 4] as const;
    await until('it has looked', () => node.channel.looks >= before[1]);
    return asked === before[0];
  });
});

test('without a listening process others poll; when it ends, another listens', async () => {
  const node = await nodeOfThree('taken over');
  node.channel.isCut = true;
  await assertFollows(node, node.followers);
  node.channel.isCut = false;
  const before = await listeners(node);
  opened.delete(node.leader);
  await node.leader.close();
  await until('another one listens', async () => {
    const now = await listeners(node);
    return now.length === 2 && now.some((pid) => !before.includes(pid));
  });
  await assertFollows(node, node.followers);
});

test('a server that one process finds silent is given up by all of the node', async () => {
  const node = await nodeOfThree('silent');
  const [follower] = node.followers as [Core];
  const pids = await listeners(node);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await until('what waits on a connection is asked again on another one', async () => {
      const asking = follower.store.get<{ pid: number }>(
        'select pg_backend_pid() as pid, cast(pg_sleep(9) as text) as slept',
      );
      let first: { pid: number } | undefined;
      await until('it waits', async () => {
        first = await node.other.store.get(
          "select pid from pg_stat_activity where query like '%pg_sleep(9)%' and state = 'active' and pid <> pg_backend_pid()",
        );
        return first !== undefined;
      });
      const answer = await asking.catch(() => first); // the server may have been too slow for the second one
      return answer?.pid !== first?.pid;
    });
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
});

test('a look that waits for a lock does not take the server for silent', async () => {
  const node = await nodeOfThree('locked');
  const [follower] = node.followers as [Core];
  const { pid = 0 } = (await follower.store.get<{ pid: number }>(PID)) ?? {};
  const told: unknown[] = [];
  node.channel.end(4, 4).subscribe(topic('store'), (value) => told.push(value));
  await node.other.store.write(async (tx) => {
    await tx.run(MAY_IDLE);
    await tx.run('lock table revision in access exclusive mode');
    const waiting = new Set<string>();
    await until('looks were given up, and the next one waits', async () => {
      const rows = await node.other.store.all<{ at: string }>(
        `select cast(query_start as text) as at from pg_stat_activity
          where application_name = 'hostkeep listener' and wait_event_type = 'Lock'`,
      );
      for (const { at } of rows) waiting.add(at);
      return waiting.size > 4;
    });
  });
  assert.not.match(JSON.stringify(told), /"lost"/);
  assert.ok(await node.other.store.get('select 1 as n from pg_stat_activity where pid = ?', pid));
});

/** A process with as many connections as a worker of four has, if its node has so many. */
async function storeWith(connections: number, url: string): Promise<Store> {
  const settings = testConfig(temporaryFolder(), { store: { url, connections } });
  const store = await openStore(settings.data, settings.store, { share: (all) => Math.floor(all / 4) });
  opened.add(store);
  return store;
}

test('a process stays within its share of connections, at least one of each kind', async () => {
  for (const [connections, reads, writes] of [
    [3, 1, 1],
    [17, 2, 2],
    [1000, 8, 8],
  ] as const) {
    const store = await storeWith(connections, urlOf('bound'));
    const rowsOf = (ask: () => Promise<{ pid: number } | undefined>) =>
      Promise.all(Array.from({ length: 20 }, () => ask()));
    const [read, written] = await Promise.all([
      rowsOf(() => store.get(PID)),
      rowsOf(() => store.write((tx) => tx.get(PID))),
    ]);
    const distinct = (rows: typeof read) => new Set(rows.map((row) => row?.pid)).size;
    assert.equal([distinct(read), distinct(written)], [reads, writes], `${connections}`);
  }
});

test('a server that is late once is asked again before another one', async () => {
  let tried = 0;
  const standby = createServer((socket) => {
    tried += 1;
    socket.destroy();
  });
  let connections = 0;
  const late = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    if (connections === 1) return void socket.resume(); // as a machine that is too busy to answer
    const [, port] = server.host.split(':');
    const behind = connect(Number(port), '127.0.0.1', () => socket.pipe(behind).pipe(socket));
    behind.on('error', () => socket.destroy());
  });
  const ports = [await freePort(), await freePort()];
  for (const [i, each] of [late, standby].entries())
    await new Promise<void>((resolve) => each.listen(ports[i], '127.0.0.1', resolve));
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  const store = await storeWith(17, urlOf('late').replace(server.host, hosts));
  assert.equal(await store.get('select 1 as n'), { n: 1 });
  assert.is(tried, 0);
  await store.close();
  opened.delete(store);
  for (const each of [late, standby]) await new Promise((resolve) => each.close(resolve));
});

test('waiting too long for a connection is refused; reads go on elsewhere', async () => {
  let tried = 0;
  const standby = createServer((socket) => {
    tried += 1;
    socket.destroy();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => standby.listen(port, '127.0.0.1', resolve));
  try {
    const store = await storeWith(17, urlOf('busy', `127.0.0.1:${port}`));
    let error: unknown;
    await store.write(async (first) => {
      await first.run(MAY_IDLE);
      await store.write(async (second) => {
        await second.run(MAY_IDLE);
        error = await store.write((each) => each.get('select 1 as n')).catch((each: unknown) => each);
        const read = () => store.get('select 2 as n, cast(pg_sleep(0.2) as text) as slept');
        await Promise.all([read(), read()]); // one of them on a new connection
      });
    });
    assert.ok(error instanceof HttpError && error.code === 'store_unavailable', String(error));
    assert.equal(await store.write((tx) => tx.get('select 3 as n')), { n: 3 });
    assert.is(tried, 0);
  } finally {
    await new Promise((resolve) => standby.close(resolve));
  }
});
