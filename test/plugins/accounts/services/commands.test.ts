import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { enableTwofa, logIn } from '../../../support/account-client.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { pick } from '../../../support/lists.ts';

const test = testSuite('commands of plugins');

type Json = Record<string, unknown>;

test('domains are listed for all accounts or one, before the first start too', async () => {
  const empty = temporaryFolder();
  await hostkeep(empty, ['account', 'add', '--admin', 'root']);
  assert.is((await hostkeep(empty, ['domain', 'list', '--json'])).stdout, '[]\n');
  const server = await TestServer.start();
  for (const [username, domain] of [
    ['ann', 'ann.example'],
    ['bob', 'bob.example'],
  ] as const) {
    const { token } = await server.user(username);
    const body = { domain_url: domain };
    assert.is((await server.ask('/api/domains/new', { token, method: 'POST', body })).status, 201);
  }
  const list = async (...args: string[]) =>
    JSON.parse((await hostkeep(server.data, ['domain', 'list', '--json', ...args])).stdout) as Json[];
  assert.equal(
    (await list()).map(({ domain, account, docroot }) => [domain, account, docroot]),
    [
      ['ann.example', 'ann', '/var/www/html/ann.example'],
      ['bob.example', 'bob', '/var/www/html/bob.example'],
    ],
  );
  assert.equal(pick(await list('--account', 'bob'), 'domain'), ['bob.example']);
  const unknown = await hostkeep(server.data, ['domain', 'list', '--account', 'nobody', '--json']);
  assert.is((JSON.parse(unknown.stderr) as Json)['error'], 'account_not_found');
});

test('--over-quota measures nobody twice within a day', async () => {
  const server = await TestServer.start();
  const { account } = await server.user('ann');
  await server.hostkeep.core.plans.update('developer', { limits: { disk_limit_mib: 1 } });
  const over = async () =>
    JSON.parse((await hostkeep(server.data, ['account', 'list', '--over-quota', '--json'])).stdout) as Json[];
  assert.equal(await over(), []);
  mkdirSync(account.filesRoot, { recursive: true });
  writeFileSync(join(account.filesRoot, 'large'), Buffer.alloc(2 << 20, 1));
  assert.equal(await over(), [], 'from what was measured before');
  await hostkeep(server.data, ['account', 'show', 'ann']);
  const [found] = await over();
  assert.is(found?.['username'], 'ann', 'from the newest measurement, whoever caused it');
});

test('a second factor is reset from the command line after a yes, and its sessions end', async () => {
  const server = await TestServer.start();
  const { account, token } = await server.user('ann');
  const reset = (...args: string[]) => hostkeep(server.data, ['2fa', 'reset', 'ann', ...args]);
  const unchanged = await reset('--yes', '--json');
  assert.equal([unchanged.code, (JSON.parse(unchanged.stderr) as Json)['error']], [1, 'nothing_to_change']);
  await enableTwofa(server, token);
  assert.is((await reset()).code, 2);
  assert.is((await logIn(server, 'ann')).body['twofa_required'], true, 'without --yes nothing happens');
  assert.is((await reset('--yes')).stdout, 'the second factor of ann is removed\n');
  assert.is((await server.ask('/api/account/2fa', { token })).status, 401);
  assert.is((await logIn(server, 'ann')).status, 200);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'two-factor authentication turned off', 0, 5);
  assert.match(lines[0] ?? '', /had two-factor authentication turned off from the command line$/);
});

test('API tokens are made, listed and ended beside a running server', async () => {
  const server = await TestServer.start();
  await server.account('ann');
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await hostkeep(server.data, ['token', ...args, '--json']);
    return { code, value: JSON.parse(code === 0 ? stdout : stderr) as Json };
  };
  const add = (scopes: string, ...args: string[]) => run('add', 'ann', '--name', 'backup', '--scopes', scopes, ...args);
  for (const wrong of [['accounts:write'], ['domains:read', '--days', '366'], ['domains:read', '--networks', 'x']])
    assert.is((await add(...(wrong as [string, ...string[]]))).value['error'], 'invalid_request', wrong.join(' '));
  const { value: made } = await add('domains:read,favorites:read', '--days', '7', '--networks', '127.0.0.0/8');
  const token = String(made['token']);
  const status = async () => (await server.ask('/api/domains', { token })).status;
  assert.is(await status(), 200);
  const [row] = (await run('list', 'ann')).value as unknown as Json[];
  assert.equal([row?.['id'], row?.['name'], row?.['token']], [made['id'], 'backup', undefined]);
  assert.is((await run('remove', 'ann')).value['error'], 'invalid_request');
  assert.equal((await run('remove', 'ann', String(made['id']))).value, { ended: 1 });
  assert.is(await status(), 401);
  assert.is((await run('remove', 'ann', '--all')).value['error'], 'nothing_to_change');
});

test('webhooks are listed, tested, and delivered again by the running server', async () => {
  const answers: number[] = [];
  const received: { type: string; id: string }[] = [];
  const sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as (typeof received)[number]);
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = sink.address() as AddressInfo;
  const label = `127.0.0.1:${port}#0`;
  const webhooks = {
    endpoints: [
      { url: `http://127.0.0.1:${port}/?hidden-part`, secret: `whsec_${'A'.repeat(32)}`, events: ['account.*'] },
    ],
    allow_private: true,
    attempts: 1,
  };
  const server = await TestServer.start({ config: { webhooks } });
  const config = join(server.data, 'settings.json');
  writeFileSync(config, JSON.stringify({ webhooks }), { mode: 0o600 });
  const run = (...args: string[]) => hostkeep(server.data, ['--config', config, 'webhook', ...args, '--json']);
  const list = async () => (JSON.parse((await run('list')).stdout) as Json[])[0] ?? {};

  for (const args of [
    ['test', 'nowhere'],
    ['redeliver', label],
    ['redeliver', label, '999999'],
  ]) {
    const { code, stderr } = await run(...args);
    assert.equal([code, (JSON.parse(stderr) as Json)['error']], [1, 'invalid_request'], args.join(' '));
  }
  const nothing = await run('redeliver', label, '--waiting');
  assert.is((JSON.parse(nothing.stderr) as Json)['error'], 'nothing_to_change');

  answers.push(500);
  await server.account('ann');
  await until('a delivery is given up', async () => (await list())['given_up'] === 1);
  const failed = await list();
  assert.equal(
    [failed['endpoint'], failed['delivered'], failed['failed'], failed['reason']],
    [label, 0, 1, 'answered 500'],
  );
  assert.not.match(JSON.stringify(failed), /hidden-part|whsec_/);

  const [event] = received;
  assert.equal(JSON.parse((await run('redeliver', '0', event?.id ?? '')).stdout), { endpoint: label, queued: 1 });
  await until('a delivery is repeated', async () => (await list())['delivered'] === 1);
  assert.equal(
    received.map(({ type, id }) => [type, id]),
    [
      ['account.created', event?.id],
      ['account.created', event?.id],
    ],
  );
  const good = await run('test', label);
  assert.equal([good.code, (JSON.parse(good.stdout) as Json)['status']], [0, 204]);
  assert.is(received.at(-1)?.type, 'webhook.test');
  answers.push(410);
  const bad = await run('test', label);
  assert.equal([bad.code, (JSON.parse(bad.stdout) as Json)['status']], [1, 410]);
  sink.closeAllConnections();
  sink.close();
  await once(sink, 'close');
  const gone = await run('test', label);
  assert.equal([gone.code, (JSON.parse(gone.stdout) as Json)['status']], [1, null]);
});

test("top prints the node's usage once for programs and repeatedly on request", async () => {
  const data = temporaryFolder();
  await hostkeep(data, ['account', 'add', '--admin', 'root']);
  assert.is((await hostkeep(data, ['top', '--interval', 'soon'])).code, 2);
  const { code, stdout } = await hostkeep(data, ['top']);
  assert.is(code, 0);
  assert.match(stdout, /^\S+ +\d{4}-\d\d-\d\d .+ UTC +up \d+ h .+\nprocessor [\d.]+ % +memory \S+ of \S+ /);
  assert.match(stdout, /\nPID +USER +CPU % +MEMORY % +MEMORY +NAME\n\d+ /);
  assert.not.match(stdout, /\u001b/, 'no terminal, no control characters');
  const lines = (await hostkeep(data, ['top', '--json', '--count', '2', '--interval', '0.1'])).stdout
    .trim()
    .split('\n');
  const samples = lines.map((line) => JSON.parse(line) as { cpu_percent: number; processes: { top: unknown[] } });
  assert.is(samples.length, 2);
  assert.ok(samples.every(({ cpu_percent: cpu, processes }) => cpu >= 0 && cpu <= 100 && processes.top.length > 0));
});
