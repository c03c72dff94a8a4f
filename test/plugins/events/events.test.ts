import * as assert from '../../support/assert.ts';
import { AuditLog } from '../../../kernel/store/events/audit-log.ts';
import { eventSource } from '../../support/event-source.ts';
import { storeOf, TestServer, type RequestOptions } from '../../support/hostkeep.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Gate } from '../../support/probe.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('events');
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start();
  token = (await server.admin()).token;
});

interface Page {
  readonly events: readonly {
    id: number;
    type: string;
    username: string;
    ip: string;
    node: string | null;
    text: string;
    at: string;
  }[];
  readonly next_cursor: string | null;
  readonly error?: string;
}
const ask = (query = '', options: RequestOptions = {}) =>
  server.ask<Page>(`/api/events${query}`, { token, address: 'admin', ...options });

test('filters that mean nothing are refused', async () => {
  for (const query of [
    ...['search=x', 'type=', 'type=a%00', 'type=A', 'since=yesterday', 'since=2026-13-45T99:99:99Z', 'limit=0'],
    ...['limit=501', 'cursor=x', 'cursor=-1', `account=${'a'.repeat(65)}`, 'ip=1&ip=2', 'node='],
  ])
    assert.equal([(await ask(`?${query}`)).status, query], [400, query]);
  const { status, body } = await ask('?node=one');
  assert.equal([status, body.error], [404, 'node_not_found'], 'a server by itself is no node of that name');
  assert.is((await ask('/stream?since=2026-01-01T00:00:00Z')).status, 400, 'a stream has no past');
});

test('events are filtered by type, account, address and time, newest first', async () => {
  const { accounts } = server.hostkeep.core;
  await server.account('ann');
  const since = new Date(Date.now() + 1).toISOString(); // the account may have been made in this millisecond
  await accounts.setFeature('ann', 'dns', true, '192.0.2.7');
  await accounts.suspend('ann', '192.0.2.7');
  await accounts.unsuspend('ann');
  await server.account('bob');
  const types = async (query: string) => (await ask(query)).body.events.map(({ type }) => type);
  assert.equal(await types('?account=ann'), [
    'account.unsuspended',
    'account.suspended',
    'feature.toggled',
    'account.created',
  ]);
  assert.equal(await types('?account=ann&ip=192.0.2.7'), ['account.suspended', 'feature.toggled']);
  assert.equal(await types('?account=ann&type=account.*&ip='), ['account.unsuspended', 'account.created']);
  assert.equal(await types(`?account=ann&since=${since}&type=*.created`), []);
  assert.is((await ask('?account=ann')).body.events[0]?.node, null);
  assert.equal(await types('?account=nobody'), []);
  const first = await ask('?account=ann&limit=3');
  assert.is(first.body.events[2]?.type, 'feature.toggled');
  const second = await ask(`?account=ann&limit=3&cursor=${first.body.next_cursor}`);
  assert.equal(pick(second.body.events, 'type'), ['account.created']);
  assert.is(second.body.next_cursor, null);
});

test("a search of 100,000 events pages to the oldest; an account's are instant", async () => {
  const own = await TestServer.start();
  const root = await own.admin();
  await own.account('oldest');
  const store = await storeOf(own.data);
  await store.write((tx) =>
    tx.run(`insert into events (at, type, account_id, username, ip, line, folded, data)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
      select 1700000000000 + i, case i when 1 then 'first' else 'login' end, null, 'many', '', 'x', 'x', '{}' from n`),
  );
  await store.close();
  const search = async (query: string) => {
    const found: Page['events'][number][] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const path: string = `/api/events?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await own.ask<Page>(path, { token: root.token, address: 'admin' });
      found.push(...body.events);
      cursor = body.next_cursor;
    }
    return { found: found.map(({ username, type }) => `${username} ${type}`), pages };
  };
  assert.equal(await search('type=account.created&limit=2'), {
    found: ['oldest account.created', 'root account.created'],
    pages: 7,
  });
  assert.equal(await search('account=oldest'), { found: ['oldest account.created'], pages: 1 });
  assert.equal(await search('account=many&type=first'), { found: ['many first'], pages: 5 });
  const { events } = own.hostkeep.core;
  assert.equal(pick(await events.find({ type: 'account.created' }, 10), 'username'), ['root', 'oldest']);
});

test('events are kept for the configured days, and otherwise for good', async () => {
  const [data, day] = [temporaryFolder(), 86_400_000];
  const left = async ({ hostkeep }: TestServer) =>
    (await hostkeep.core.store.get<{ n: number }>("select count(*) as n from events where type = 'old'"))?.n;
  const all = await TestServer.start({ data });
  const { events, store } = all.hostkeep.core;
  await store.write((tx) =>
    tx.run(
      `insert into events (at, type, username, ip, line, folded, data)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 3500)
        select case when i % 7 = 0 or i > 2100 then cast(? as bigint) else cast(? as bigint) end, 'old', '', '', 'x', 'x', '{}' from n`,
      Date.now() - 2 * day,
      Date.now() - 4 * day,
    ),
  );
  assert.is(await events.removeBefore(Date.now() - 5 * day), 0);
  assert.is(await events.removeBefore(Date.now(), () => true), 0, 'it is closed');
  assert.is(await left(all), 3500);
  await all.close();
  const some = await TestServer.start({ data, config: { events: { kept_days: 3 } } });
  await until('old events are gone', async () => (await left(some)) === 1700);
  assert.is((await some.hostkeep.core.events.find({ type: 'old' }, 5000)).length, 1700);
});

test("a stream sends matching events after the client's last one", async () => {
  const { accounts } = server.hostkeep.core;
  const source = await eventSource(server, token, {}, '/api/events/stream?type=account.*');
  await server.account('cid');
  await accounts.setFeature('cid', 'dns', true);
  await accounts.suspend('cid');
  const created = await source.next();
  assert.is(created.event, 'event');
  assert.equal([created.data['type'], created.data['username']], ['account.created', 'cid']);
  assert.is((await source.next()).data['type'], 'account.suspended');
  await source.close();
  const again = await eventSource(server, token, { 'last-event-id': created.id }, '/api/events/stream?account=cid');
  assert.is((await again.next()).data['type'], 'feature.toggled');
  assert.is((await again.next()).data['type'], 'account.suspended');
  await again.close();
});

test('a stream is answered once its start is known, so that it misses nothing', async () => {
  const { events } = server.hostkeep.core;
  const gate = new Gate();
  events.lastId = async () => {
    gate.enter();
    await gate.opened;
    return AuditLog.prototype.lastId.call(events);
  };
  let isAnswered = false;
  const opening = eventSource(server, token, {}, '/api/events/stream?account=dee').then((source) => {
    isAnswered = true;
    return source;
  });
  try {
    await gate.entered;
    await ask();
    assert.is(isAnswered, false);
  } finally {
    gate.open();
    Reflect.deleteProperty(events, 'lastId');
  }
  const source = await opening;
  await server.account('dee');
  assert.is((await source.next()).data['type'], 'account.created');
  await source.close();
});

test('a stream hears of what other processes record', async () => {
  const source = await eventSource(server, token, {}, '/api/events/stream?account=elsewhere');
  const store = await storeOf(server.data);
  await store.write((tx) =>
    tx.run(
      "insert into events (at, type, username, ip, line, folded, data) values (1, 'login', 'elsewhere', '', 'x', 'x', '{}')",
    ),
  );
  await store.close();
  assert.is((await source.next()).data['username'], 'elsewhere');
  await source.close();
});

test('a stream ends with its session, and an administrator has only so many', async () => {
  const { core } = server.hostkeep;
  const other = await server.admin('other');
  const open = () => eventSource(server, other.token, {}, '/api/events/stream');
  const sources = [];
  for (let i = 0; i < 20; i++) sources.push(await open());
  const { status, headers } = await ask('/stream', { token: other.token });
  assert.equal([status, headers.get('retry-after')], [503, '5']);
  await core.sessions.endOthers(other.account, '', '');
  await Promise.all(sources.map(({ ended }) => ended));
});
