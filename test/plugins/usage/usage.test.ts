import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { promisify } from 'node:util';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { rawRequest } from '../../support/raw.ts';
import { allPlugins, PASSWORD, TestServer, type Person } from '../../support/hostkeep.ts';
import { eventSource } from '../../support/event-source.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';
import { LIMIT_MS, until } from '../../support/until.ts';
import { codeOf, enableTwofa } from '../../support/account-client.ts';
import { assertNone } from '../../support/lists.ts';

const test = testSuite('usage');
let server: TestServer;
let root: Person;
let admin: string;
let websites = 1;
/** Something to count, whatever other plugins there are. */
const counted = definePlugin({
  name: 'counted',
  features: [],
  routes: {},
  setup: () => ({ handlers: {}, provides: { counts: () => ({ websites }) } }),
});
test.before(async () => {
  server = await TestServer.start({
    config: { usage: { interval_ms: 100, streams: 3 } },
    plugins: [...(await allPlugins()), counted],
  });
  root = await server.admin();
  admin = root.token;
});
test.after.each(() => mock.timers.reset());

const PATHS = ['', '/stats', '/cpu', '/memory', '/disk', '/server', '/stream', '/history'].map(
  (path) => `/api/usage${path}` as const,
);
// threat open-usage-api: foreign Host headers are refused, so a page cannot rebind DNS
test('a foreign Host header is refused, so that no page rebinds its name', async () => {
  const url = server.hostkeep.url('admin');
  const asked = (host: string) =>
    rawRequest(
      url,
      `GET /api/usage/cpu HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${admin}\r\nOrigin: http://${host}\r\n\r\n`,
    );
  assert.match(await asked('attacker.example'), /^HTTP\/1.1 403 [^]*host_not_allowed/);
  assert.match(await asked('127.0.0.1.attacker.example:2087'), /^HTTP\/1.1 403 /);
  const fine = await asked(new URL(url).host);
  assert.match(fine, /^HTTP\/1.1 200 OK/);
  assert.not.match(fine, /access-control/i);
  assert.match(await asked('localhost:2087'), /^HTTP\/1.1 200 OK/);
});

test('no page of another origin gets CORS headers', async () => {
  for (const [path, method] of [
    ['/api/usage/cpu', 'GET'],
    ['/api/usage/cpu', 'OPTIONS'],
    ['/api/usage/stream', 'HEAD'],
  ] as const) {
    const { headers } = await server.ask(path, {
      ...{ method, token: admin, address: 'admin' },
      headers: { origin: 'https://attacker.example', 'access-control-request-method': 'GET' },
    });
    assertNone([...headers.keys()], (name) => name.startsWith('access-control'));
  }
});

test('every core has its load in one decimal', async () => {
  const cores = Object.entries(await root.asks<Record<string, number>>('GET /api/usage/cpu', 200));
  assert.ok(cores.length > 0);
  for (const [name, load] of cores) {
    assert.match(name, /^core_\d+$/);
    assert.ok(load >= 0 && load <= 100 && Math.round(load * 10) / 10 === load);
  }
});

test('memory is returned in bytes and as text', async () => {
  const { ram_info: ram, human_readable_info: told } = await root.asks<{
    human_readable_info: Record<string, string>;
    ram_info: Record<'available' | 'percent' | 'total' | 'used', number>;
  }>('GET /api/usage/memory', 200);
  const { available, percent, total, used } = ram;
  assert.is(used, total - available);
  assert.is(percent, Math.round((used / total) * 1000) / 10);
  assert.equal(Object.keys(told).toSorted(), ['available', 'percent', 'total', 'used']);
  assert.is(told['total'], `${(total / 2 ** 30).toFixed(2)} GB`);
  assert.is(told['percent'], `${percent.toFixed(1)}%`);
});

test('both paths return the same disks', async () => {
  const disks = await root.asks<Record<string, unknown>[]>('GET /api/usage/disk', 200);
  const first = disks.find((disk) => disk['mountpoint'] === '/');
  assert.equal(
    Object.keys(first ?? {})
      .toSorted()
      .join(' '),
    'device free fstype mountpoint percent total used',
  );
  assert.is((await root.asks<unknown[]>('GET /api/usage/server', 200)).length, disks.length);
});

test('the host is read below the configured roots, as in a container', async () => {
  const root = temporaryFolder();
  const files: Record<string, string> = {
    'proc/stat': 'cpu  1 2 3 4\ncpu7 100 0 0 100\n',
    'proc/meminfo': 'MemTotal: 4096 kB\nMemAvailable: 1024 kB\n',
    'proc/filesystems': '\text4\n',
    'proc/1/mountinfo': '1 0 8:1 / / rw - ext4 /dev/of-the-host rw\n',
    'sys/fs/cgroup/memory.max': 'max\n',
    'sys/fs/cgroup/memory.current': '1\n',
    'sys/fs/cgroup/memory.stat': '',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const inside = await TestServer.start({
    config: { system: { roots: { proc: join(root, 'proc'), sys: join(root, 'sys'), files: root } } },
  });
  const reader = await inside.admin();
  await reader.asks('GET /api/usage/cpu', 200, { core_7: 0 });
  const ram_info = { available: 1_048_576, percent: 75, total: 4_194_304, used: 3_145_728 };
  await reader.asks('GET /api/usage/memory', 200, { ram_info });
  const [disk] = await reader.asks<Record<string, unknown>[]>('GET /api/usage/disk', 200);
  assert.equal([disk?.['device'], disk?.['mountpoint']], ['/dev/of-the-host', '/']);
});

const SETTING = 'token.ttl_seconds';
/** Name the lock of an address for documentation, and that from which the requests here come. */
const [EXAMPLE_LOCK, OWN_LOCK] = ['198.51.100.7', '127.0.0.1'].map((ip) =>
  Buffer.from(`address ${ip}`).toString('base64url'),
) as [string, string];

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly example: string;
}

/** Makes an administrator, and jane and the plan `starter` anew where an example needs them. */
async function ground(n: number, path: string): Promise<Account> {
  const { accounts, plans } = server.hostkeep.core;
  const { account } = await server.admin(`operator${n}`);
  if (await accounts.byUsername('jane')) await accounts.remove('jane');
  const removed = await accounts.removed.claim('jane').catch(() => undefined);
  if (removed !== undefined) await accounts.removed.release(removed, { username: '', ip: '' });
  if ((await plans.all()).has('starter')) await plans.remove('starter');
  if (path !== '/api/plans') {
    const { name: _, features, ...limits } = await plans.get('basic');
    await plans.create('starter', limits, [...features]);
  }
  if (path !== '/api/accounts') await server.account('jane', 'basic');
  return account;
}

/** What only the caller of an example knows, who is an administrator. */
async function prepared(account: Account, { method, path }: Listed): Promise<Record<string, string>> {
  const { accounts, sessions } = server.hostkeep.core;
  const { token, asks } = await server.as(account);
  if (/\/(?:2fa|login-link|:setting)$/.test(path)) await asks('POST /api/reauthenticate', { password: PASSWORD }, 200);
  const known = {
    TOKEN: token,
    USERNAME: account.username,
    NEW_PASSWORD: `${PASSWORD}!`,
    PASSWORD,
    CODE: '',
    ID: '',
    SETTING,
  };
  if (path.endsWith('/:id') && path !== '/api/accounts') {
    const owner = path.includes(':username') ? await accounts.get('jane') : account;
    await server.token(owner);
    known.ID = (await sessions.list(owner.id)).at(0)?.id ?? '';
  }
  if (path.endsWith('/tokens/:id')) {
    const owner = path.includes(':username') ? await accounts.get('jane') : account;
    const wanted = { name: 'Backup', scopes: ['sessions:read'], networks: [], expiresAt: Date.now() + 60_000 };
    known.ID = (await server.hostkeep.core.tokens.make(owner, wanted, '', () => Promise.resolve())).made.id;
  }
  if (path === '/api/locks/:key')
    await server.with().asks('POST /api/login', { username: 'x', password: 'wrong' }, 401);
  if (path === '/api/account/2fa/confirm') {
    const setup = await asks<{ secret: string }>('POST /api/account/2fa/setup', { password: PASSWORD }, 200);
    known.CODE = codeOf(setup.secret);
  }
  if (path === '/api/account/2fa' && method === 'DELETE')
    known.CODE = codeOf((await enableTwofa(server, token, 'admin')).secret, 1);
  return known;
}

/** Those that only read come first. */
const byReading = (a: Listed, b: Listed): number => Number(a.method !== 'GET') - Number(b.method !== 'GET');

/** Runs an example in a shell. What measures the machine may be too late on a busy one, and says when to ask again. */
async function statusOf(command: string, TOKEN: string): Promise<string> {
  const shown = `${command} -s -o /dev/null -w '%{http_code}' --retry 20`;
  return (await promisify(execFile)('sh', ['-c', shown], { env: { ...process.env, TOKEN } })).stdout;
}

/** Does the same for a stream, which has no end: once its head is there, the client goes. */
async function statusOfStream(command: string, TOKEN: string): Promise<string> {
  const child = spawn('sh', ['-c', `exec ${command} -s -o /dev/null -D -`], {
    env: { ...process.env, TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let head = '';
  for await (const chunk of child.stdout) if ((head += String(chunk)).includes('\r\n\r\n')) break;
  child.kill();
  await ended;
  return /^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? head;
}

test('every endpoint of the address is listed, and its example works in a shell', async () => {
  const { endpoints } = await root.asks<{ endpoints: Listed[] }>('GET /api/usage', 200);
  for (const path of PATHS) assert.ok(endpoints.some((each) => each.path === path && each.method === 'GET'));
  const served = server.hostkeep.node
    .routes()
    .filter((route) => route.address === 'admin' && route.described !== false)
    .flatMap((route) => route.paths.map((path) => `${route.method} ${path}`));
  assert.equal(endpoints.map(({ method, path }) => `${method} ${path}`).toSorted(), served.toSorted());
  const sampled = await server.admin('first-sample');
  const isSampled = async () => (await sampled.tries('GET /api/usage/system')) === 200;
  await until('the first sample, which a busy machine takes late', isSampled);
  // After an example that only reads, all is as it was.
  let operator: Account | undefined;
  for (const [n, each] of endpoints.toSorted(byReading).entries()) {
    operator ??= await ground(n, each.path);
    const { TOKEN = '', ...known } = await prepared(operator, each);
    if (each.method !== 'GET') operator = undefined;
    const command = each.example
      .replace(/\b(?:USERNAME|NEW_PASSWORD|PASSWORD|CODE|ID|SETTING)\b/g, (word) => known[word] ?? word)
      .replace(EXAMPLE_LOCK, OWN_LOCK);
    const isStream = each.path.endsWith('/stream');
    const got = await (isStream ? statusOfStream(command, TOKEN) : statusOf(command, TOKEN));
    const { method, path, description } = each;
    const created =
      method === 'POST' && /^\/api\/(?:accounts|accounts\/:username\/domains|plans|account\/tokens)$/.test(path);
    const isMissing =
      /^\/api\/(?:webhooks|fleet|database-variables|accounts\/:username\/domains|php-pools|removed-accounts)\/:|\/(?:fetch|tasks\/:id)$/.test(
        path,
      ); // there is none of these
    const isForbidden = /^(?:POST \/api\/webhooks|\w+ \/api\/settings\/:setting)$/.test(`${method} ${path}`); // by the configuration
    const begun = path.endsWith('/copy');
    const status = isMissing ? '404' : isForbidden ? '409' : begun ? '202' : created ? '201' : '200';
    assert.is(got, status, `${description}: ${command}`);
  }
});

test('examples that change nothing work as they stand', async () => {
  const own = await TestServer.start();
  const { token, asks } = await own.admin();
  const listed = async () => (await asks<{ endpoints: Listed[] }>('GET /api/usage', 200)).endpoints;
  const named = async () =>
    (await listed()).find(({ path, method }) => path === '/api/accounts/:username' && method === 'GET')?.example;
  assert.match((await named()) ?? '', /\/api\/accounts\/root'$/, 'the caller, where there is no customer');
  await own.account('anna');
  assert.match((await named()) ?? '', /\/api\/accounts\/anna'$/);
  for (const { method, path, example } of await listed())
    if (method === 'GET' && /\/:(?:username|plan)/.test(path) && !path.endsWith('/:id'))
      assert.is(await statusOf(example, token), '200', example);
});

test('statistics hold today last, follow what happens, and have no end of line', async () => {
  const last = async () => {
    const { usage_stats: lines } = await root.asks<{ usage_stats: string }>('GET /api/usage/stats', 200);
    assert.not.ok(lines.endsWith('\n'));
    return JSON.parse(lines.split('\n').at(-1) ?? '') as { timestamp: string; websites: number };
  };
  const before = await last();
  assert.match(before.timestamp, /^\d{4}-\d\d-\d\d$/);
  assert.equal(Object.keys(before), ['timestamp', 'users', 'domains', 'websites']);
  websites += 1;
  await server.user('bea');
  assert.is((await last()).websites, before.websites + 1);
});

test('the figures are provided as metrics', async () => {
  const parts = await server.hostkeep.plugins.gather('metrics');
  const part = parts.find(({ plugin }) => plugin === 'usage');
  const figures = new Map(part?.ok === true ? part.value.map((figure) => [figure.name, figure.samples]) : []);
  for (const [name, labels] of [
    ['cpu_load_ratio', ['core']],
    ['memory_available_bytes', []],
    ['filesystem_free_bytes', ['device', 'fstype', 'mountpoint']],
    ['usage_samples_total', []],
    ['usage_sample_age_seconds', []],
  ] as const) {
    const [first] = figures.get(`hostkeep_${name}`) ?? [];
    assert.ok((first?.value ?? -1) >= 0, name);
    assert.equal(Object.keys(first?.labels ?? {}), labels);
  }
});

test('history refuses what is no range, no time and no metric', async () => {
  for (const query of [
    ...['metric=passwords', 'from=yesterday', 'from=2030-13-45', 'from=20&to=10', 'step=0'],
    ...['from=1&step=3600&to=99999999', 'metric=cpu&metric=disk', `from=${'9'.repeat(40)}`],
  ])
    await root.asks(`GET /api/usage/history?${query}`, '400 invalid_request');
});

test('history answers the last minutes from memory', async () => {
  await root.asks('GET /api/usage/memory', 200);
  const from = Math.floor(Date.now() / 1000) - 60;
  const timeAt = (seconds: number) => new Date(seconds * 1000).toISOString();
  const { to, to_at, points } = await root.asks<{
    to: number;
    to_at: string;
    points: { time: number; time_at: string; value: number }[];
  }>(`GET /api/usage/history?metric=memory&from=${from}`, 200, { unit: 'percent', step: 1, from_at: timeAt(from) });
  assert.is(to_at, timeAt(to));
  assert.ok(points.length > 0 && points.length <= to - from + 1);
  for (const { time, time_at: text, value } of points)
    assert.ok(text === timeAt(time) && time >= from && value > 0 && value < 100, `${text}: ${value}`);
});

test('the history includes minutes without requests', async () => {
  const begin = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: begin });
  const quiet = await TestServer.start();
  const { asks } = await quiet.admin();
  const line = `GET /api/usage/history?metric=memory&step=60&from=${begin / 1000}&to=${begin / 1000 + 300}` as const;
  const points = async (count: number) => {
    for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
      const { points: found } = await asks<{ points: { time: number; value: number }[] }>(line, 200);
      if (found.length >= count) return found;
    }
    throw new Error(`the history had fewer than ${count} minutes after ${LIMIT_MS / 1000} s`);
  };
  mock.timers.tick(60_020);
  assert.is((await points(1)).length, 1);
  mock.timers.tick(60_000);
  const both = await points(2);
  assert.equal(
    both.map(({ time }) => time - begin / 1000),
    [0, 60],
  );
  for (const { value } of both) assert.ok(value > 0 && value < 100);
  mock.timers.reset();
});

test("a stream sends samples in the other routes' shapes, in order", async () => {
  const source = await eventSource(server, admin);
  assert.is(source.response.headers.get('content-type'), 'text/event-stream');
  assert.is(source.response.headers.get('cache-control'), 'no-store');
  const [first, second] = [await source.next(), await source.next()];
  assert.ok(Number(second.id) > Number(first.id));
  assert.is(second.event, 'sample');
  assert.equal(Object.keys(second.data), ['at', 'cpu', 'memory', 'disk']);
  assert.is(new Date(String(second.data['at'])).getTime(), Number(second.id));
  assert.match(Object.keys(second.data['cpu'] as object)[0] ?? '', /^core_/);
  await source.close();
});

test('a stream begins with the newest sample, however long the next takes', async () => {
  const slow = await TestServer.start({ config: { usage: { interval_ms: 60_000 } } });
  const { token } = await slow.admin();
  const first = await eventSource(slow, token);
  const { id } = await first.next();
  const second = await eventSource(slow, token);
  assert.is((await second.next()).id, id);
  for (const source of [first, second]) await source.close();
});

test('a client that comes back is sent what it missed', async () => {
  const source = await eventSource(server, admin);
  const seen = [await source.next(), await source.next(), await source.next()];
  await source.close();
  const again = await eventSource(server, admin, { 'last-event-id': seen[0]?.id ?? '' });
  assert.equal(
    [await again.next(), await again.next()].map(({ id }) => id),
    seen.slice(1).map(({ id }) => id),
  );
  await again.close();
  const odd = await eventSource(server, admin, { 'last-event-id': '<script>' });
  assert.ok((await odd.next()).id !== '');
  await odd.close();
});

test('a stream ends with its session', async () => {
  const second = await server.admin('second');
  const source = await eventSource(server, second.token);
  await source.next();
  await server.hostkeep.core.accounts.suspend('second');
  await source.ended;
  await second.asks('GET /api/usage/cpu', 401);
});

test('only so many streams are open at once, and each that ends makes room', async () => {
  const sources = [];
  for (let i = 0; i < 3; i += 1) sources.push(await retried(() => eventSource(server, admin)));
  const { status, body, headers } = await server.ask('/api/usage/stream', { token: admin, address: 'admin' });
  assert.equal([status, body['error']], [503, 'overloaded']);
  assert.is(headers.get('retry-after'), '5');
  for (const source of sources) await source.close();
  const next = await retried(() => eventSource(server, admin));
  await next.close();
});

test('HEAD of a stream is its head', async () => {
  const text = await rawRequest(
    server.hostkeep.url('admin'),
    `HEAD /api/usage/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin}\r\nConnection: close\r\n\r\n`,
    (got) => got.includes('\r\n\r\n'),
  );
  assert.match(text, /^HTTP\/1.1 200 OK[^]*text\/event-stream/);
  assert.match(text, /\r\n\r\n$/);
});

/** Retries while the server has not yet noticed that clients disconnected; rejects with the last error in the end. */
async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + LIMIT_MS; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (!/503/.test(String(error)) || performance.now() > end) throw error;
    }
  }
}

test('without the plugin that reads the machine, figures say so, and counts go on', async () => {
  const blind = await TestServer.start({ config: { plugins: { system: false } } });
  const { token, asks } = await blind.admin();
  const detail = /the plugin system, which reads this machine, is off or unavailable$/;
  for (const path of ['/cpu', '/memory', '/disk', '/system'])
    await asks(`GET /api/usage${path}`, '503 feature_unavailable', { detail });
  for (const path of ['', '/stats', '/accounts', '/history?metric=users']) await asks(`GET /api/usage${path}`, 200);
  const source = await eventSource(blind, token);
  const { data } = await source.next();
  assert.equal([data['cpu'], data['memory'], data['disk']], [null, null, null]);
  await source.close();
});

const feature = testSuite('usage for accounts that hold the feature');
let shared: TestServer;
feature.before(
  async () => void (shared = await TestServer.start({ config: { usage: { access: 'feature', streams_of_user: 1 } } })),
);
/** An account that asks on the admin address. */
const reader = async (username: string, plan = 'developer') => {
  const own = await shared.user(username, plan);
  return { ...own, asks: shared.with(own.token, 'admin').asks };
};

feature('a user with the feature may read; a refusal names the feature', async () => {
  const [holder, other] = [await reader('ann'), await reader('ben', 'basic')];
  for (const path of PATHS.filter((each) => each !== '/api/usage/stream')) {
    await holder.asks(`GET ${path}`, 200);
    await other.asks(`GET ${path}`, '403 feature_disabled', { feature: 'usage' });
    await shared.with(undefined, 'admin').asks(`GET ${path}`, 401);
    await shared.with(holder.token).asks(`GET ${path}`, 404); // not on the user address
  }
});

feature('the feature is taken away from one request to the next', async () => {
  const { asks } = await reader('cy');
  await asks('GET /api/usage/cpu', 200);
  await shared.hostkeep.core.accounts.setFeature('cy', 'usage', false);
  await asks('GET /api/usage/cpu', 403);
});

feature('one user has only so many streams, and takes none from others', async () => {
  const [first, second] = [await shared.user('dan', 'developer'), await shared.user('eve', 'developer')];
  const open = await eventSource(shared, first.token);
  const again = { token: first.token, address: 'admin', method: 'HEAD' } as const;
  assert.is((await shared.ask('/api/usage/stream', again)).status, 503);
  const other = await eventSource(shared, second.token);
  await Promise.all([open.close(), other.close()]);
});

feature('an admin still reads', async () => {
  await (await shared.admin()).asks('GET /api/usage/memory', 200);
});
