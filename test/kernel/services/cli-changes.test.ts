import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../support/assert.ts';
import { CLI, environmentOf, hostkeep } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('changes by the command line');

type Json = Record<string, unknown>;

/** Returns functions that run commands on a data folder with an administrator, and the account ann. */
async function node() {
  const data = temporaryFolder();
  const run = (...args: string[]) => hostkeep(data, args);
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout) as Json;
  assert.is((await run('account', 'add', '--admin', 'root')).code, 0);
  assert.is((await run('account', 'add', 'ann', '--plan', 'basic')).code, 0);
  return { data, run, json };
}

/** Runs a command on a terminal on which somebody types. */
function onTerminal(data: string, command: string, typed: string): Promise<{ code: number; stdout: string }> {
  const running = promisify(execFile)('script', ['-qec', `${process.execPath} ${CLI} ${command}`, '/dev/null'], {
    env: environmentOf(data),
  });
  running.child.stdin?.end(typed);
  return running.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
}

test('what would change nothing is an error, and says so', async () => {
  const { run } = await node();
  const failed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.equal([code, stdout], [1, ''], args.join(' '));
    assert.is((JSON.parse(stderr) as Json)['error'], 'nothing_to_change', args.join(' '));
  };
  await failed('account', 'unsuspend', 'ann');
  await failed('account', 'set', 'ann', '--plan', 'basic');
  await failed('account', 'set', 'root', '--locale', 'en');
  await failed('plan', 'set', 'basic', '--domains-limit', '1');
  await failed('feature', 'on', 'domains', '--plan', 'basic');
  await failed('feature', 'off', 'docker', '--plan', 'basic');
  await failed('feature', 'inherit', 'docker', '--account', 'ann');
  await failed('session', 'end', 'ann', '--all');
  for (const args of [
    ['account', 'suspend', 'ann'],
    ['feature', 'on', 'docker', '--account', 'ann'],
    ['feature', 'off', 'domains', '--account', 'ann'],
  ]) {
    assert.is((await run(...args)).code, 0);
    await failed(...args);
  }
});

test('switching on a feature that nothing provides warns', async () => {
  const { run, json } = await node();
  const { code, stdout } = await run('feature', 'on', 'pm2', '--plan', 'basic');
  assert.is(code, 0);
  assert.match(stdout, /^pm2 is on for plan basic\nwarning: nothing on this server provides pm2/);
  assert.is((await json('feature', 'on', 'login_history', '--account', 'ann'))['warning'], null);
});

test('what destroys does nothing without --yes where nobody can be asked', async () => {
  const { run, json } = await node();
  const plan = () => json('plan', 'show', 'basic');
  const before = [await json('account', 'show', 'ann'), await plan()];
  for (const args of [
    ['account', 'remove', 'ann'],
    ['account', 'purge', 'ann'],
    ['plan', 'remove', 'basic'],
  ]) {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.equal([code, stdout], [2, ''], args.join(' '));
    assert.is((JSON.parse(stderr) as Json)['error'], 'confirmation_required', args.join(' '));
    assert.match((await run(...args)).stderr, /^hostkeep: .+\? .*There is no terminal to ask on: give --yes\n$/);
  }
  assert.equal([await json('account', 'show', 'ann'), await plan()], before);
  assert.is((await run('account', 'remove', 'ann', '--yes')).code, 0);
});

test('on a terminal, what destroys asks, and goes on only after a yes', async () => {
  const { data, run } = await node();
  const answered = (answer: string) => onTerminal(data, 'account remove ann', answer);
  for (const answer of ['n\n', '\n', 'yesterday\n', '\u0004']) {
    const { code, stdout } = await answered(answer);
    assert.is(code, 1, answer);
    assert.match(stdout, /Remove the account ann\?.+\[y\/N\] .*not confirmed: nothing was done/s);
  }
  assert.is((await run('account', 'show', 'ann')).code, 0);
  const { code, stdout } = await answered('y\n');
  assert.is(code, 0);
  assert.match(stdout, /ann is removed/);
});

test('on a terminal, a command says what it waits for', async () => {
  const { data } = await node();
  const { code, stdout } = await onTerminal(
    data,
    'account password ann --password-stdin',
    'correct horse battery\n\u0004',
  );
  assert.is(code, 0, stdout);
  assert.match(stdout, /^The password, then Enter and Ctrl\+D:/m);
});

test('a node in no fleet says so, whichever command of fleets is asked', async () => {
  const { run } = await node();
  const listed = await run('fleet', 'list');
  assert.equal([listed.code, listed.stdout], [0, 'this node is in no fleet\n']);
  const { code, stderr } = await run('fleet', 'remove', 'other', '--yes');
  assert.equal([code, stderr], [1, 'hostkeep: this node is in no fleet: `hostkeep fleet init` makes one\n']);
});

test('the command line refuses what the API refuses', async () => {
  const { data, run } = await node();
  const refused = async (pattern: RegExp, ...args: string[]) => {
    const { code, stderr } = await run(...args, '--json');
    assert.is(code, 1, args.join(' '));
    const problem = JSON.parse(stderr) as Json;
    assert.is(problem['error'], 'invalid_request');
    assert.match(String(problem['detail']), pattern);
  };
  await refused(/a user needs a plan: give --plan <name>, or --no-plan/, 'account', 'add', 'bob');
  await refused(/an administrator has no plan/, 'account', 'add', 'bob', '--admin', '--plan', 'basic');
  await refused(/^email /, 'account', 'add', 'bob', '--no-plan', '--email', 'not an address');
  await refused(/^email /, 'account', 'set', 'ann', '--email', 'not an address');
  await refused(/an administrator has no plan/, 'account', 'set', 'root', '--plan', 'basic');
  await refused(/the language xx is not installed/, 'account', 'set', 'ann', '--locale', 'xx');
  await refused(/^limits.domains_limit must be a whole number/, 'plan', 'add', 'small', '--domains-limit', '0.5');
  await refused(/^limits.cpu_limit must be at most 4096/, 'plan', 'set', 'basic', '--cpu-limit', '5000');
  await refused(
    /there is no feature nonsense: no features.json describes it/,
    'plan',
    'add',
    'small',
    '--features',
    'nonsense',
  );
  const short = await hostkeep(data, ['account', 'password', 'ann', '--password-stdin'], 'short\n');
  assert.match(short.stderr, /password must have at least 8 characters/);
});

test('a new plan has the limits that the API gives it, or those of another', async () => {
  const server = await TestServer.start();
  const { token } = await server.admin();
  const json = async (...args: string[]) =>
    JSON.parse((await hostkeep(server.data, ['plan', ...args, '--json'])).stdout) as Json;
  const options = { token, address: 'admin', method: 'POST' } as const;
  const body = { name: 'by-api', limits: { domains_limit: 2 }, features: ['domains', 'docker'] };
  const byApi = (await server.ask('/api/plans', { ...options, body })).body;
  const byCommand = await json('add', 'by-command', '--domains-limit', '2', '--features', 'domains,docker');
  assert.equal({ ...byCommand, name: '' }, { ...byApi, name: '' });
  const copy = await json('add', 'copy', '--from', 'by-api', '--db-limit', '7');
  assert.equal({ ...copy, name: '', limits: { ...(copy['limits'] as Json), db_limit: 0 } }, { ...byApi, name: '' });
  assert.equal(await json('diff', 'by-api', 'copy'), { limits: { db_limit: [0, 7] }, features: {} });
  const difference = await json('diff', 'by-api', 'basic');
  assert.equal((difference['features'] as Json)['docker'], [true, false]);
  assert.is((difference['features'] as Json)['domains'], undefined);
  const { stdout } = await hostkeep(server.data, ['plan', 'diff', 'copy', 'copy']);
  assert.is(stdout, 'copy and copy do not differ\n');
});

test('account show lists domains and usage, and --over-quota finds accounts', async () => {
  const server = await TestServer.start();
  const json = async <T>(...args: string[]) =>
    JSON.parse((await hostkeep(server.data, ['account', ...args, '--json'])).stdout) as T;
  const { account, token } = await server.user('ann');
  await server.account('bob');
  const body = { domain_url: 'ann.example' };
  assert.is((await server.ask('/api/domains/new', { token, method: 'POST', body })).status, 201);
  assert.equal(await json('list', '--over-quota'), []);
  await server.hostkeep.core.plans.update('developer', { limits: { disk_limit_mib: 1 } });
  mkdirSync(account.filesRoot, { recursive: true });
  writeFileSync(join(account.filesRoot, 'large'), Buffer.alloc(2 << 20, 1));
  const shown = await json<{ domains: string[]; usage: Json[] }>('show', 'ann');
  assert.equal(shown.domains, ['ann.example']);
  const usageOf = (name: string) => shown.usage.find(({ resource }) => resource === name);
  assert.equal([usageOf('disk_kib')?.['limit'], usageOf('disk_kib')?.['isOver']], [1024, true]);
  assert.equal([usageOf('domains')?.['used'], usageOf('domains')?.['isOver']], [1, false]);
  assert.match((await hostkeep(server.data, ['account', 'show', 'ann'])).stdout, /^domains: ann.example$/m);
  const over = await json<{ username: string }[]>('list', '--over-quota');
  assert.equal(pick(over, 'username'), ['ann']);
});

test('plugins are listed with their states', async () => {
  const { data, run } = await node();
  const config = join(data, 'settings.json');
  writeFileSync(config, JSON.stringify({ plugins: { search: false }, containers: { socket: '/nonexistent' } }));
  const { stdout } = await run('--config', config, 'plugin', 'list', '--json');
  const plugins = JSON.parse(stdout) as { name: string; state: string; features: string[]; reason: string | null }[];
  const stateOf = (plugin: string) => plugins.find(({ name }) => name === plugin)?.state;
  assert.equal([stateOf('search'), stateOf('domains'), stateOf('containers')], ['off', 'ready', 'degraded']);
  assert.match((await run('--config', config, 'plugin', 'list')).stdout, /^search +off +search +switched off/m);
});
