import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { CLI, hostkeep, start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { probePlugin } from '../../support/probe.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('command line');

test('invalid usage and invalid settings have their own exit code', async () => {
  const data = temporaryFolder();
  for (const args of [
    ['nonsense'],
    ['account', 'add'],
    ['account', 'list', '--nonsense'],
    ['plan', 'set', 'basic', '--cpu-limit', 'many'],
  ])
    assert.is((await hostkeep(data, args)).code, 2, args.join(' '));
  assert.equal(readdirSync(data), []);
  const file = join(temporaryFolder(), 'settings.json');
  await hostkeep(data, ['account', 'add', '--admin', 'root']);
  writeFileSync(file, '{"nonsense": {}}');
  const { code, stderr } = await hostkeep(data, ['--config', file, 'serve']);
  assert.is(code, 2);
  assert.match(stderr, /settings.json names nonsense, which is neither a setting nor a plugin/);
  for (const args of [
    ['account', 'show', 'nobody'],
    ['account', 'add', 'Not-A-Name'],
    ['feature', 'on', 'nonsense', '--plan', 'basic'],
    ['feature', 'on', 'dns'],
  ]) {
    const failed = await hostkeep(data, args);
    assert.is(failed.code, 1, args.join(' '));
    assert.match(failed.stderr, /^hostkeep: .+\n$/);
  }
});

test('an unsupported pair of Node.js and glibc is named in one sentence', async () => {
  const data = temporaryFolder();
  const hook = join(temporaryFolder(), 'hook.cjs');
  const run = async (cause: string, args: readonly string[]) => {
    writeFileSync(
      hook,
      `const Module = require('node:module');
       const load = Module._load;
       Module._load = (name, ...rest) => {
         if (name === 'uWebSockets.js') throw new Error(${JSON.stringify(cause)});
         return load(name, ...rest);
       };`,
    );
    return hostkeep(data, args, '', CLI, { NODE_OPTIONS: `--require ${hook}` });
  };
  const old = "libc.so.6: version `GLIBC_2.38' not found (required by uws_linux_x64_137.node)";
  const { code, stderr } = await run(old, ['serve']);
  assert.is(code, 1);
  assert.match(
    stderr,
    /^hostkeep: uWebSockets.js needs glibc 2.38 for Node.js v[\d.]+ \(ABI \d+\), and this system has [^\n]+\n$/,
  );
  assert.equal(readdirSync(data), [], 'nothing was created');
  const { stderr: unknown } = await run("Cannot find module './uws_linux_x64_999.node'", ['serve']);
  assert.match(unknown, /^hostkeep: uWebSockets.js has no binary for Node.js v[^\n]+: use Node.js 20, 22 or 24\n$/);
  assert.is((await run(old, ['account', 'add', '--admin', 'root'])).code, 0, 'other commands do without it');
});

test('only the first administrator, a start and the demo create a store', async () => {
  const folder = temporaryFolder();
  const missing = join(folder, 'missing');
  for (const data of [temporaryFolder(), missing])
    for (const args of [
      ['account', 'add', 'ann'],
      ['account', 'list', '--json'],
      ['account', 'show', 'ann'],
      ['plan', 'list'],
      ['feature', 'on', 'domains', '--plan', 'basic'],
      ['session', 'list', 'ann'],
      ['session', 'rotate-key'],
      ['account', 'purge', 'ann', '--yes'],
      ['backup', 'create'],
      ['doctor'],
    ]) {
      const { code, stdout, stderr } = await hostkeep(data, args);
      assert.is(code, 1, args.join(' '));
      assert.is(stdout, '');
      assert.match(stderr, /there is no store in \S+: start the server, or create the first administrator with /);
      assert.equal(existsSync(data) ? readdirSync(data) : [], [], args.join(' '));
    }
  assert.not.ok(existsSync(missing));
  assert.is((await hostkeep(missing, ['account', 'add', '--admin', 'root'])).code, 0);
  assert.is((await hostkeep(missing, ['account', 'add', 'ann', '--plan', 'basic'])).code, 0);
});

test('with --json, errors are problems with a stable code', async () => {
  const data = temporaryFolder();
  await hostkeep(data, ['account', 'add', '--admin', 'root']);
  const table: readonly [args: string[], code: number, error: string, detail: RegExp][] = [
    [['account', 'show', 'nobody'], 1, 'account_not_found', /nobody/],
    [
      ['account', 'set', 'root'],
      1,
      'invalid_request',
      /^nothing to change: give --plan, --no-plan, --email or --locale$/,
    ],
    [['plan', 'set', 'basic'], 1, 'invalid_request', /^nothing to change: give a limit/],
    [['account', 'list', '--plan', 'none'], 1, 'plan_not_found', /none/],
    [['account', 'list', '--nonsense'], 2, 'invalid_usage', /^unknown option '--nonsense'$/],
    [['account', 'add'], 2, 'invalid_usage', /^missing required argument 'username'$/],
    [['--config', '/nonexistent/x.json', 'account', 'list'], 2, 'invalid_configuration', /x\.json: ENOENT/],
    [['backup', 'verify', '/nonexistent/x.tar'], 1, 'command_failed', /ENOENT/],
    [['rollback'], 1, 'not_a_package', /^only an installed package has versions/],
  ];
  for (const [args, code, error, detail] of table) {
    const failed = await hostkeep(data, [...args, '--json']);
    assert.is(failed.code, code, args.join(' '));
    assert.is(failed.stdout, '');
    const problem = JSON.parse(failed.stderr) as Record<string, unknown>;
    assert.is(problem['error'], error, args.join(' '));
    assert.is(problem['type'], `urn:hostkeep:error:${error}`);
    assert.match(String(problem['detail']), detail);
  }
  assert.match(
    (await hostkeep(data, ['--help'])).stdout,
    /Exit codes:\n +0 +success\n +1 +failure: .+\n +2 +invalid usage/,
  );
});

test('accounts are listed by plan and state', async () => {
  const data = temporaryFolder();
  for (const args of [
    ['--admin', 'root'],
    ['ann', '--plan', 'standard'],
    ['bob', '--plan', 'basic'],
    ['bare', '--no-plan'],
  ])
    assert.is((await hostkeep(data, ['account', 'add', ...args])).code, 0);
  await hostkeep(data, ['account', 'suspend', 'bob']);
  for (const [args, expected] of [
    [[], ['ann', 'bare', 'bob', 'root']],
    [['--plan', 'standard'], ['ann']],
    [['--no-plan'], ['bare']],
    [['--suspended'], ['bob']],
    [['--suspended', '--plan', 'standard'], []],
  ] as const) {
    const { stdout } = await hostkeep(data, ['account', 'list', '--json', ...args]);
    assert.equal(pick(JSON.parse(stdout) as { username: string }[], 'username'), expected, args.join(' '));
  }
});

test('every command prints its usage', async () => {
  const data = temporaryFolder();
  for (const command of [
    ...['serve', 'demo', 'status', 'top', 'events', 'reload', 'account', '2fa', 'plan', 'feature', 'session'],
    ...['domain', 'plugin', 'webhook', 'backup', 'restore', 'config', 'doctor', 'upgrade', 'rollback'],
  ]) {
    const { code, stdout } = await hostkeep(data, [command, '--help']);
    assert.is(code, 0);
    assert.match(stdout, new RegExp(`Usage: hostkeep ${command}`));
  }
});

// asvs 6.4.1: first passwords hold 144 random bits and are shown once
test('accounts, plans, features and sessions are managed without a server', async () => {
  const data = temporaryFolder();
  const chosen = await hostkeep(data, ['account', 'add', 'root', '--admin', '--password-stdin'], 'a good password\n');
  assert.is(chosen.stdout, 'added admin root\n');
  const added = JSON.parse(
    (await hostkeep(data, ['account', 'add', 'ann', '--plan', 'standard', '--email', 'ann@example.com', '--json']))
      .stdout,
  ) as Record<string, unknown>;
  assert.is(added['plan'], 'standard');
  assert.match(String(added['password']), /^[\w-]{24}$/);
  await hostkeep(data, ['feature', 'off', 'domains', '--account', 'ann']);
  await hostkeep(data, [
    'plan',
    'add',
    'small',
    '--from',
    'standard',
    '--cpu-limit',
    '0.5',
    '--description',
    'half a CPU',
  ]);
  await hostkeep(data, ['account', 'set', 'ann', '--plan', 'small']);
  const shown = JSON.parse((await hostkeep(data, ['account', 'show', 'ann', '--json'])).stdout) as {
    plan: string;
    features: string[];
    overrides: unknown;
  };
  assert.is(shown.plan, 'small');
  assert.equal(shown.overrides, { domains: false });
  assert.not.ok(shown.features.includes('domains'));
  const [small] = (
    JSON.parse((await hostkeep(data, ['plan', 'list', '--json'])).stdout) as {
      name: string;
      limits: { cpu_limit: number };
    }[]
  ).filter(({ name }) => name === 'small');
  assert.is(small?.limits.cpu_limit, 0.5);
  assert.match(
    (await hostkeep(data, ['plan', 'remove', 'small', '--yes'])).stderr,
    /accounts still use the plan small/,
  );
  assert.is((await hostkeep(data, ['session', 'list', 'ann', '--json'])).stdout, '[]\n');
  assert.match((await hostkeep(data, ['session', 'rotate-key'])).stdout, /^new key /);
  const bare = await hostkeep(data, ['account', 'add', 'bare', '--no-plan', '--json']);
  assert.is((JSON.parse(bare.stdout) as { plan: unknown }).plan, null);
  assert.is((await hostkeep(data, ['account', 'set', 'ann', '--no-plan'])).stdout, 'ann is changed\n');
  const without = JSON.parse((await hostkeep(data, ['account', 'list', '--json'])).stdout) as {
    username: string;
    plan: unknown;
    features: unknown[];
  }[];
  assert.equal(
    without.map(({ username, plan, features }) => [username, plan, features.length]),
    [
      ['ann', null, 0],
      ['bare', null, 0],
      ['root', null, 0],
    ],
  );
  assert.match((await hostkeep(data, ['account', 'show', 'bare'])).stdout, /^plan: null$/m);
  assert.is((await hostkeep(data, ['plan', 'remove', 'small', '--yes'])).code, 0);
  await hostkeep(data, ['account', 'set', 'ann', '--email', 'new@example.com']);
  await hostkeep(data, ['account', 'set', 'ann', '--plan', 'basic']);
  assert.match((await hostkeep(data, ['account', 'show', 'ann'])).stdout, /^plan: "basic"$/m);
});

// threat immortal-tokens: changes on the command line apply to the next request
test('changes on the command line apply to the next request and drop none', async () => {
  const server = await TestServer.start({ plugins: [probePlugin()] });
  const { account, token } = await server.user('toni');
  assert.is((await server.ask('/probe/gated', { token })).status, 200);
  const polls = { wanted: true };
  const statuses = new Set<number>();
  const polling = (async () => {
    while (polls.wanted) statuses.add((await server.ask('/probe/mine', { token })).status);
  })();
  for (let round = 0; round < 2; round += 1) {
    assert.is((await hostkeep(server.data, ['feature', 'off', 'dns', '--plan', 'developer'])).code, 0);
    assert.is((await server.ask('/probe/gated', { token })).status, 403);
    await hostkeep(server.data, ['feature', 'on', 'dns', '--account', 'toni']);
    assert.is((await server.ask('/probe/gated', { token })).status, 200);
    await hostkeep(server.data, ['feature', 'inherit', 'dns', '--account', 'toni']);
    assert.is((await server.ask('/probe/gated', { token })).status, 403);
    await hostkeep(server.data, ['feature', 'on', 'dns', '--plan', 'developer']);
    assert.is((await server.ask('/probe/gated', { token })).status, 200);
  }
  polls.wanted = false;
  await polling;
  assert.equal([...statuses], [200]);
  const [session] = await server.hostkeep.core.sessions.list(account.id);
  await hostkeep(server.data, ['session', 'end', 'toni', session?.id ?? '']);
  assert.is((await server.ask('/probe/mine', { token })).status, 401);
  const again = await server.token(account);
  assert.is((await server.ask('/probe/mine', { token: again })).status, 200);
  await hostkeep(server.data, ['account', 'suspend', 'toni']);
  assert.is((await server.ask('/probe/mine', { token: again })).status, 401);
  await hostkeep(server.data, ['account', 'unsuspend', 'toni']);
  assert.is((await server.ask('/probe/mine', { token: again })).status, 401, 'suspension ended the session for good');
});

// asvs 6.3.2: there are no default accounts
test('a node warns without administrators, reloads, and stops cleanly', async () => {
  const data = temporaryFolder();
  const file = join(data, 'settings.json');
  writeFileSync(file, JSON.stringify({ hosting: { ip_address: '203.0.113.1' } }));
  const { child, line, output } = await start(data, ['serve', '--config', file], /no administrator yet/);
  assert.match(output(), /"msg":"listening"/);
  assert.match(output(), /hostkeep account add --admin/);
  writeFileSync(file, '{"hosting": {"ip_address": 5}}');
  child.kill('SIGHUP');
  await line(/the configuration was not changed: \S+settings.json: hosting.ip_address must be string/);
  writeFileSync(file, JSON.stringify({ log: { level: 'debug' } }));
  child.kill('SIGHUP');
  await line(/the configuration was reloaded/);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  assert.is(code, 0);
  await hostkeep(data, ['account', 'add', 'ann', '--plan', 'basic']);
  const unlocked = await hostkeep(data, ['account', 'unlock', 'ann', '--from', '198.51.100.7']);
  assert.equal([unlocked.stdout, unlocked.code], ['ann is unlocked\n', 0]);
});

// asvs 15.2.3: the demo refuses the data of a real server
test("the demo keeps its data and credentials, and refuses a real server's data", async () => {
  const data = temporaryFolder();
  const file = join(data, 'credentials.json');
  const first = await start(data, ['demo'], /Ctrl-C stops it/);
  const credentials = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { password: string }>;
  assert.equal(Object.keys(credentials), ['base_url', 'admin_url', 'user', 'other', 'admin']);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.match(first.output(), new RegExp(credentials['user']?.password ?? 'none'));
  first.child.kill('SIGTERM');
  assert.equal(await once(first.child, 'exit'), [0, null]);
  const second = await start(data, ['demo'], /Ctrl-C stops it/);
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { password: string }>;
  assert.is(kept['user']?.password, credentials['user']?.password);
  second.child.kill('SIGTERM');
  assert.equal(await once(second.child, 'exit'), [0, null]);
  const real = temporaryFolder();
  await hostkeep(real, ['account', 'add', '--admin', 'root'], '', CLI, { HOSTKEEP_STORE_URL: undefined });
  const refused = await hostkeep(real, ['demo']);
  assert.is(refused.code, 2);
  assert.match(refused.stderr, /holds the data of a real server/);
  assert.not.ok(existsSync(join(real, 'credentials.json')));
});
