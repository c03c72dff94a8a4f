/** Domains that an administrator adds to an account, or removes from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import domains from '../../../plugins/domains/index.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domains of accounts, for operators');
const TO_ANN = 'POST /api/accounts/ann/domains';
let server: TestServer;
let ann: Person;
let root: Person;
test.before(async () => {
  server = await TestServer.start({ plugins: [domains] });
  const { name: _, features: __, ...limits } = await server.hostkeep.core.plans.get('basic');
  await server.hostkeep.core.plans.create('two', { ...limits, limits: { domains_limit: 1, names_limit: 2 } }, []);
  ann = await server.user('ann', 'two');
  root = await server.admin();
});
const names = async (username: string) => {
  const list = await root.asks<{ domains: { domain_url: string }[] }>(`GET /api/accounts/${username}/domains`, 200);
  return list.domains.map(({ domain_url: name }) => name);
};

// threat other-accounts: only an administrator adds for others, and never more than the account itself could
test('what the account itself could not add is refused, and leaves nothing', async () => {
  const { token } = await server.user('bob');
  await server.with(token).asks('POST /api/domains/new', { domain_url: 'bob.example' }, 201);
  await server.with(ann.token, 'admin').asks(TO_ANN, { domain_url: 'ann.example' }, 401);
  await ann.asks(TO_ANN, { domain_url: 'ann.example' }, 404); // the user address has no such path
  await root.rows(
    ['POST /api/accounts/nobody/domains', { domain_url: 'ann.example' }, '404 account_not_found'],
    ['POST /api/accounts/root/domains', { domain_url: 'ann.example' }, '404 account_not_found'],
    ['DELETE /api/accounts/root/domains/ann.example', '404 account_not_found'],
    [TO_ANN, { domain_url: 'co.uk' }, '400 invalid_domain /domain_url'],
    [TO_ANN, { domain_url: 'mail.google.com' }, '400 invalid_domain /domain_url'],
    [TO_ANN, { domain_url: 'ann.example', docroot: '../bob' }, '400 invalid_docroot /docroot'],
    [TO_ANN, { domain_url: 'bob.example' }, '409 domain_exists'],
    [TO_ANN, { domain_url: 'shop.bob.example' }, '409 domain_exists'],
    ['DELETE /api/accounts/ann/domains/bob.example', '404 domain_not_found'],
  );
  assert.equal([await names('ann'), await names('bob')], [[], ['bob.example']]);
  assert.not(existsSync(join(ann.account.filesRoot, 'ann.example')));
  assert.equal(await ann.told('domain'), []);
});

test('an account that is being moved gets no domain, and keeps those that it has', async () => {
  const { account } = await server.user('mia');
  const move = (isReadOnly: boolean) =>
    server.hostkeep.core.accounts.relocate(account.username, { isReadOnly }, async () => undefined);
  await root.asks('POST /api/accounts/mia/domains', { domain_url: 'mia.example' }, 201);
  await move(true);
  await root.rows(
    ['POST /api/accounts/mia/domains', { domain_url: 'more.example' }, '503 account_moving'],
    ['DELETE /api/accounts/mia/domains/mia.example', '503 account_moving'],
  );
  await move(false);
  assert.equal(await names('mia'), ['mia.example']);
});

test('an operator adds and removes domains within the plan, and the log names both', async () => {
  await server.hostkeep.core.accounts.suspend('ann'); // a site can be prepared meanwhile, also without the feature
  await root.rows(
    [
      TO_ANN,
      { domain_url: 'Ann.example', docroot: 'shop' },
      201,
      { domain_url: 'ann.example', docroot: '/var/www/html/shop' },
      { events: ['domain.added'] },
    ],
    [TO_ANN, { domain_url: 'other.example' }, '409 domain_limit_reached'],
    [TO_ANN, { domain_url: 'sub.ann.example' }, 201],
    [TO_ANN, { domain_url: 'next.ann.example' }, '409 names_limit_reached'],
    ['DELETE /api/accounts/ann/domains/ann.example', '409 domain_has_subdomains'],
    ['PUT /api/accounts/ann/domains/ann.example/suspended', { suspended: true }, 200],
    ['DELETE /api/accounts/ann/domains/ann.example?with_subdomains=true', '409 domain_held'],
    ['PUT /api/accounts/ann/domains/ann.example/suspended', { suspended: false }, 200],
  );
  assert.ok(existsSync(join(ann.account.filesRoot, 'shop')));
  assert.equal(await names('ann'), ['ann.example', 'sub.ann.example']);
  await root.asks(
    'DELETE /api/accounts/ann/domains/ANN.example?with_subdomains=true',
    200,
    { domain_url: 'ann.example', deleted: true },
    { events: ['domain.removed', 'domain.removed'] },
  );
  assert.equal(await names('ann'), []);
  assert.ok(existsSync(join(ann.account.filesRoot, 'shop')), 'files stay');
  const told = (await ann.told('domain ann')).filter((line) => !line.includes('suspen'));
  assert.match(told[0] ?? '', /User 'ann' had the domain ann\.example removed by the administrator 'root' from IP/);
  assert.match(told[1] ?? '', /User 'ann' had the domain ann\.example added by the administrator 'root' from IP/);
});

test('in other languages, too, the log says who added a domain', async () => {
  const { locales } = server.hostkeep.node;
  const told = (language: string, data: object) =>
    locales.eventText(language, { type: 'domain.added', line: '', data: { domain_url: 'a.example', ...data } });
  assert.is(told('de', { by: 'root' }), 'Domain a.example vom Administrator root hinzugefügt');
  assert.is(told('de', {}), 'Domain a.example hinzugefügt');
  assert.is(told('fr', { by: 'r$&*' }), "Domaine a.example ajouté par l'administrateur r$&*");
  assert.is(told('fr', {}), 'Domaine a.example ajouté');
});
