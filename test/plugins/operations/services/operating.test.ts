import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep, start } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { freePort } from '../../../support/port.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('operating by the command line');

type Json = Record<string, unknown>;

/** A data folder with an administrator and an account, and functions that run commands on it. */
async function node() {
  const data = temporaryFolder();
  const config = join(data, 'settings.json');
  const listen = { listen: `127.0.0.1:${await freePort()}`, admin_listen: `127.0.0.1:${await freePort()}` };
  const over = { HOSTKEEP_LISTEN: undefined, HOSTKEEP_ADMIN_LISTEN: undefined };
  const configure = (settings: Json) => writeFileSync(config, JSON.stringify({ ...listen, ...settings }));
  const run = (...args: string[]) => hostkeep(data, ['--config', config, ...args], '', undefined, over);
  const serve = () => start(data, ['--config', config, 'serve'], /"msg":"listening"/, over);
  configure({});
  assert.is((await run('account', 'add', '--admin', 'root')).code, 0);
  assert.is((await run('account', 'add', 'ann', '--plan', 'basic')).code, 0);
  return { data, run, serve, configure, listen };
}

test('the state of a server is told with an exit code, and a killed one does not run', async () => {
  const { run, serve, listen } = await node();
  const status = async () => {
    const { code, stdout } = await run('status', '--json');
    return { code, value: JSON.parse(stdout) as Json };
  };
  const before = await status();
  assert.equal([before.code, before.value['running'], before.value['pid']], [1, false, null]);
  assert.match((await run('status')).stdout, /no server runs/);
  const { child } = await serve();
  const { code, value } = await status();
  assert.equal([code, value['running'], value['pid']], [0, true, child.pid]);
  assert.equal(value['addresses'], [
    { address: listen.listen, status: 200 },
    { address: listen.admin_listen, status: 200 },
  ]);
  assert.equal([value['users'], value['admins'], value['suspended']], [1, 1, 0]);
  assert.match(
    (await run('status')).stdout,
    new RegExp(`process ${child.pid} has been serving since .+ UTC\naddress: .+, ready\n`),
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal([(await status()).code, (await status()).value['running']], [1, false]);
});

test('a reload waits for the server, and fails with its reason', async () => {
  const { run, serve, configure } = await node();
  const reload = async () => {
    const { code, stdout, stderr } = await run('reload', '--json');
    return { code, value: JSON.parse(code === 0 ? stdout : stderr) as Json };
  };
  const nobody = await reload();
  assert.equal([nobody.code, nobody.value['error']], [1, 'server_not_running']);
  const { child } = await serve();
  const { code, value } = await reload();
  assert.equal([code, value['reloaded'], value['pid']], [0, true, child.pid]);
  configure({ hosting: { ip_address: 5 } });
  const refused = await reload();
  assert.equal([refused.code, refused.value['error']], [1, 'reload_failed']);
  assert.match(String(refused.value['detail']), /settings\.json: hosting\.ip_address must be string/);
  configure({});
  assert.match((await run('reload')).stdout, /^the configuration was reloaded\n/);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('events are filtered by type, account, address, age and number', async () => {
  const { run } = await node();
  await run('account', 'suspend', 'ann');
  await run('feature', 'on', 'docker', '--plan', 'basic');
  const types = async (...args: string[]) => {
    const { code, stdout } = await run('events', '--json', ...args);
    assert.is(code, 0, args.join(' '));
    return (JSON.parse(stdout) as { type: string }[]).map(({ type }) => type);
  };
  assert.equal(await types('--account', 'ann'), ['account.created', 'account.suspended']);
  assert.equal(await types('--type', 'account.*', '--limit', '2'), ['account.created', 'account.suspended']);
  assert.equal(await types('--type', 'feature.toggled', '--since', '1h'), ['feature.toggled']);
  assert.equal(await types('--type', 'account.?uspended'), []);
  assert.equal(await types('--type', 'account_*'), [], 'only an asterisk stands for anything');
  assert.equal(await types('--ip', '203.0.113.9'), []);
  assert.equal(await types('--since', '2999-01-01T00:00:00Z'), []);
  for (const args of [
    ['--since', 'yesterday'],
    ['--limit', '0'],
  ])
    assert.is((await run('events', ...args)).code, 2, args.join(' '));
  assert.match((await run('events')).stdout, /User 'ann' was suspended from the command line\n/);
});

test('events are followed across processes, one line of JSON each', async () => {
  const { data, run } = await node();
  const args = ['events', '--follow', '--json', '--type', 'account.*', '--limit', '1'];
  const { child, line, output } = await start(data, args, /"type":"account.created".*\n/);
  assert.is((await run('feature', 'on', 'docker', '--account', 'ann')).code, 0);
  assert.is((await run('account', 'suspend', 'ann')).code, 0);
  await line(/"type":"account.suspended".*\n/);
  child.kill('SIGINT');
  assert.equal(await once(child, 'exit'), [0, null]);
  const found = output().trim().split('\n');
  assert.equal(
    found.map((each) => (JSON.parse(each) as Json)['type']),
    ['account.created', 'account.suspended'],
  );
});
