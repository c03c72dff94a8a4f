/** To whom shells are closed, with an engine that need not be real. */
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { fakeEngine, json } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { openSocket } from '../../support/socket-client.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('container-shell-refusals');
const ID = 'a'.repeat(64);
const LISTED = { Id: ID, Names: ['/ann-web'], State: 'running', Labels: { 'hostkeep.account': 'ann' } };

test('shells are off, unless an account has both features and a user of its own', async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  await fakeEngine(socket, (path, response) => {
    if (path === '/containers/json') json(response, [LISTED]);
    else if (path === `/containers/${ID}/json`) json(response, { State: {}, HostConfig: {}, Config: {} });
    else json(response, {});
  });
  const containers = { socket };
  const plain = await TestServer.start({ config: { containers } });
  const { token: off } = await plain.user('ann');
  assert.is((await plain.ask('/api/docker-shells', { token: off })).status, 404);
  const server = await TestServer.start({
    config: { containers, plugins: { 'container-shell': true }, ids: { first: 0 } },
  });
  const { accounts, plans, tokens } = server.hostkeep.core;
  const { account, token } = await server.user('ann');
  const { token: admin } = await server.admin();
  const ask = async (headers: Record<string, string>) =>
    openSocket(`${server.hostkeep.url('user')}/api/docker-shells/${ID}`, headers);
  const bearer = (of: string) => ({ authorization: `Bearer ${of}` });
  const list = async (of?: string) =>
    (await server.ask('/api/docker-shells', of === undefined ? {} : { token: of })).status;
  assert.equal([await list(), await ask({})], [401, '401 authentication_required']);
  assert.equal([await list(token), await ask(bearer(token))], [403, '403 feature_disabled'], 'no plan has it');
  await plans.setFeature('developer', 'container_shell', true);
  await accounts.setFeature('ann', 'docker', false);
  assert.equal([await list(token), await ask(bearer(token))], [403, '403 feature_disabled']);
  await accounts.setFeature('ann', 'docker', undefined);
  assert.equal([await list(admin), await ask(bearer(admin))], [401, '401 authentication_required']);
  assert.is((await server.ask('/api/docker-shells', { token: admin, address: 'admin' })).status, 404);
  const scopes = ['container_shell:read', 'container_shell:write', 'docker:read', 'docker:write'];
  const wanted = { name: 'script', scopes, networks: [], expiresAt: Date.now() + 60_000 };
  const { token: script } = await tokens.make(account, wanted, '127.0.0.1');
  assert.equal([await list(script), await ask(bearer(script))], [200, '403 session_required']);
  const { body } = await server.ask('/api/docker-shells', { token });
  assert.equal(body['containers'], [{ id: ID, name: 'ann-web' }]);
  assert.is(await ask(bearer(token)), '503 shell_unavailable');
  await accounts.suspend('ann');
  assert.equal([await list(token), await ask(bearer(token))], [401, '401 authentication_required']);
});
