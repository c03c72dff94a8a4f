/** Settings of the console in all processes: workers, those that replace others, other nodes of a fleet, and commands. */
import { request } from 'node:http';
import { writeFileSync } from 'node:fs';
import * as assert from '../../../support/assert.ts';
import { reauthenticate } from '../../../support/account-client.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { FILES_ROOT, PASSWORD } from '../../../support/hostkeep.ts';
import { NodePair } from '../../../support/node-pair.ts';
import { NodeProcess, prepare } from '../../../support/node-process.ts';
import { ownSchema } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('settings in all processes');
/** So many connections that each worker gets some: the system chooses at random, once for each. */
const CONNECTIONS = 24;
const SETTING = 'token.ttl_seconds';
const CONFIG = { settings: { editable: ['token.*', 'search.*'] }, log: { level: 'info' } };

interface Listed {
  readonly setting: string;
  readonly value: unknown;
  readonly origin: string;
}

/** Resolves with what a worker says of a setting, on a connection of its own. */
function askOnce(node: NodeProcess, token: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const url = new URL(`${node.url('admin')}/api/settings`);
    const sent = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => {
        const { settings } = JSON.parse(text) as { settings: readonly Listed[] };
        resolve(settings.find(({ setting }) => setting === SETTING)?.value);
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Resolves with the different values that all workers say. */
async function inForce(node: NodeProcess, token: string): Promise<unknown[]> {
  return [...new Set(await Promise.all(Array.from({ length: CONNECTIONS }, () => askOnce(node, token))))];
}

test('every worker has them, replaced ones too, and commands tell them', async () => {
  const data = temporaryFolder();
  await prepare(data, { root: 'admin' });
  const node = await NodeProcess.start(data, { workers: 2, config: CONFIG });
  await node.line(/all workers serve/);
  const token = await node.login('root', undefined, 'admin');
  const proof = { method: 'POST', token, address: 'admin', body: { password: PASSWORD } } as const;
  assert.is((await node.ask('/api/reauthenticate', proof)).status, 200);
  const change = (method: string, value?: unknown) => {
    const body = value === undefined ? {} : { body: { value } };
    return node.ask(`/api/settings/${SETTING}`, { method, token, address: 'admin', ...body });
  };
  assert.equal(await inForce(node, token), [3600]);
  assert.is((await change('PUT', 59)).status, 400);
  assert.is((await change('PUT', 5000)).status, 200);
  await eventually(
    'all workers follow',
    () => inForce(node, token),
    (values) => values.join() === '5000',
  );
  process.kill(node.children[0] ?? 0, 'SIGKILL');
  await until('it is replaced', () => (node.output.match(/all workers serve/g) ?? []).length === 2);
  assert.equal(await inForce(node, token), [5000]);

  const run = (...args: string[]) => hostkeep(data, ['--config', node.settings, ...args]);
  assert.match((await run('config', 'show')).stdout, /^token\.ttl_seconds +5000 +console$/m);
  const reloaded = await run('reload');
  assert.is(reloaded.code, 0, reloaded.stderr);
  assert.equal(await inForce(node, token), [5000], 'the files are read, and the setting lies over them');
  writeFileSync(node.settings, JSON.stringify({ files_root: FILES_ROOT, ...CONFIG, settings: {} }));
  assert.is((await run('reload')).code, 0);
  assert.equal(await inForce(node, token), [3600], 'the files decide what the console may set');
  assert.match((await run('config', 'show')).stdout, /^token\.ttl_seconds +3600 +default$/m);
  writeFileSync(node.settings, JSON.stringify({ files_root: FILES_ROOT, ...CONFIG }));
  assert.is((await run('reload')).code, 0);
  assert.equal(await inForce(node, token), [5000]);
  assert.is((await change('DELETE')).status, 200);
  await eventually(
    'all workers follow',
    () => inForce(node, token),
    (values) => values.join() === '3600',
  );
  await node.end('SIGTERM');
});

test('every node of a fleet has them, whichever is asked', async () => {
  const fleet = await NodePair.start(ownSchema('settings'), () => CONFIG);
  try {
    const { one, two } = fleet.nodes;
    const { token } = await one.admin();
    assert.is((await reauthenticate(one, token)).status, 200);
    const asked = { token, address: 'admin' } as const;
    const changed = await two.ask(`/api/settings/${SETTING}`, { ...asked, method: 'PUT', body: { value: 5000 } });
    assert.is(changed.status, 200, JSON.stringify(changed.body));
    for (const node of [one, two])
      await until('the node follows', () => node.hostkeep.core.sessions.ttlSeconds === 5000);
    const { body } = await one.ask<{ settings: readonly Listed[] }>('/api/settings?node=two', asked);
    assert.is(body.settings.find(({ setting }) => setting === SETTING)?.origin, 'console');
    assert.is((await one.ask(`/api/settings/${SETTING}`, { ...asked, method: 'DELETE' })).status, 200);
    for (const node of [one, two])
      await until('the node follows', () => node.hostkeep.core.sessions.ttlSeconds === 3600);
  } finally {
    await fleet.close();
  }
});
