import { existsSync } from 'node:fs';
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import phpmyadmin from '../../../plugins/phpmyadmin/index.ts';
import { readPoolSession, type PoolSession } from '../../../plugins/phpmyadmin/pools/session-pool.ts';
import directives from '../../../plugins/phpmyadmin/site-directives.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('phpmyadmin');
const PATH = '/api/phpmyadmin';

const plain = definePlugin({
  name: 'server',
  features: ['mysql'],
  routes: {},
  setup: () => ({ handlers: {}, provides: { webServer: () => ({ host: '127.0.0.1', port: 80, takesTls: true }) } }),
});

async function asAnn(
  settings: object,
  use: (open: () => Promise<unknown>, show: () => Promise<object>) => Promise<void>,
) {
  const server = await TestServer.start({ plugins: [domains, plain, phpmyadmin], config: { phpmyadmin: settings } });
  try {
    const { token } = await server.user('ann');
    const domain_url = 'ann.example';
    const post = (path: string) => server.ask(path, { method: 'POST', token, body: { domain_url } });
    assert.is((await post('/api/domains/new')).status, 201);
    await use(
      async () => (await post(PATH)).body['error'],
      async () => (await server.ask(PATH, { token })).body,
    );
  } finally {
    await server.close();
  }
}

test('a domain without a certificate, and databases of others, are refused', async () => {
  const is_installed = existsSync('/usr/share/phpmyadmin/index.php');
  const domain = { domain_url: 'ann.example', has_https: false };
  await asAnn({}, async (open, show) => {
    assert.is(await open(), 'domain_without_https');
    const domains = [{ ...domain, is_usable: false }];
    assert.equal(await show(), { is_installed, is_managed: false, domains, session: null });
  });
  await asAnn({ needs_https: false }, async (open, show) => {
    assert.is(await open(), is_installed ? 'databases_not_managed' : 'phpmyadmin_missing');
    const domains = [{ ...domain, is_usable: true }];
    assert.equal(await show(), { is_installed, is_managed: false, domains, session: null });
  });
});

const PART = { name: 'a'.repeat(20), socket: `/run/hostkeep/phpmyadmin/7/${'a'.repeat(20)}.sock`, uploadMib: 8 };
const PLACE = sitePlace({ followsNoLinks: true });

test('only a socket of the account is served, by a part that means no more', () => {
  for (const part of [
    { ...PART, name: 'a' },
    { ...PART, name: `${'a'.repeat(18)};}` },
    { ...PART, socket: '/run/a.sock' },
    { ...PART, socket: '/run/7/a".sock' },
    { ...PART, uploadMib: 0 },
    { ...PART, more: 1 },
  ])
    assert.throws(() => directives.read(part), /expected/, JSON.stringify(part));
  for (const render of [directives.nginx, directives.caddy]) {
    assert.throws(() => render(directives.read(PART), { ...PLACE, accountId: 8 }), /not a socket of the account 8/);
    assert.match(render(directives.read(PART), PLACE).join('\n'), /phpmyadmin-a{20}/);
  }
});

// threat stolen-service: the broker takes no session that means more than its members
test('the broker takes no session with other members or characters', () => {
  const session: PoolSession = {
    ...{ name: PART.name, version: '8.4', linkHash: 'a'.repeat(64), cookie: 'b'.repeat(64), uploadMib: 8 },
    ...{ opensUntil: 1, expiresAt: 2, idleSeconds: 3 },
    login: { socket: '/run/mysqld/mysqld.sock', host: '', port: 0, user: 'ann_-session', password: 'x'.repeat(24) },
  };
  assert.equal(readPoolSession(session), session);
  for (const wrong of [
    { name: '../../../../etc/cron1' },
    { version: '8.4/../../../bin/sh' },
    { linkHash: 'a' },
    { cookie: `${'b'.repeat(63)}\n` },
    { idleSeconds: 0 },
    { login: { ...session.login, socket: '/a\nb' } },
    { login: { ...session.login, user: 'root\0' } },
    { login: { ...session.login, password: '' } },
    { more: true },
  ])
    assert.throws(() => readPoolSession({ ...session, ...wrong }), /expected/, JSON.stringify(wrong));
});
