import * as assert from '../../support/assert.ts';
import { openCore } from '../../../kernel/run/core.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Command, CommandContext, CommandGroup } from '../../../kernel/contract/command.ts';
import { importDefault } from '../../../kernel/kit/files/plugin-files.ts';
import accounts from '../../../plugins/accounts/index.ts';
import { TestServer, testConfig, type RequestOptions } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { whileParked } from '../../support/parked.ts';
import { testSuite } from '../../support/suite.ts';
import { enableTwofa, reauthenticate } from '../../support/account-client.ts';

const together = await needs('login', 'profile', 'domains');
const test = testSuite('an account that is removed during a change of it');
let server: TestServer;
let keeper: string;
test.before(async () => {
  server = await TestServer.start({ plugins: [...together, accounts] });
  keeper = (await server.admin('keeper')).token;
  await reauthenticate(server, keeper);
});

const remove = (username: string) => server.hostkeep.core.accounts.remove(username);

/** Requests of an administrator, by what they change. */
const CHANGES: Readonly<Record<string, (name: string) => [path: string, options: RequestOptions]>> = {
  'failed logins': (name) => [`/api/accounts/${name}/unlock`, { method: 'POST' }],
  'a known network': (name) => [`/api/accounts/${name}/unlock?from=203.0.113.9`, { method: 'POST' }],
  'the second factor': (name) => [`/api/accounts/${name}/2fa`, { method: 'DELETE' }],
  'the password': (name) => [`/api/accounts/${name}/password`, { method: 'PUT', body: { password: 'a new password' } }],
  'the plan': (name) => [`/api/accounts/${name}`, { method: 'PATCH', body: { plan: 'basic' } }],
  suspension: (name) => [`/api/accounts/${name}/suspend`, { method: 'POST' }],
  'a feature': (name) => [`/api/accounts/${name}/features/waf`, { method: 'PUT' }],
};

for (const [what, request] of Object.entries(CHANGES))
  test(`an administrator gets 404: ${what}`, async () => {
    const name = `gone-${Object.keys(CHANGES).indexOf(what)}`;
    const { token } = await server.user(name);
    if (what === 'the second factor') await enableTwofa(server, token);
    const [path, options] = request(name);
    const ask = () => server.ask(path, { ...options, token: keeper, address: 'admin' });
    const { status, body } = await whileParked(server.hostkeep.core.store, ask, () => remove(name));
    assert.equal([status, body['error']], [404, 'account_not_found']);
  });

/** Requests of the account itself. */
const OWN: Readonly<Record<string, [path: string, options: RequestOptions]>> = {
  'a favorite': ['/api/favorites', { method: 'PUT', body: { link: '/files', title: 'Files' } }],
  'a domain': ['/api/domains/new', { method: 'POST', body: { domain_url: 'gone.example' } }],
  'the language': ['/api/account/language', { method: 'PUT', body: { locale: 'de' } }],
};

for (const [what, [path, options]] of Object.entries(OWN))
  test(`the account itself gets 401: ${what}`, async () => {
    const name = `own-${Object.keys(OWN).indexOf(what)}`;
    const { token } = await server.user(name);
    const ask = () => server.ask(path, { ...options, token });
    const { status, body } = await whileParked(server.hostkeep.core.store, ask, () => remove(name));
    assert.equal([status, body['error']], [401, 'authentication_required']);
  });

test('the command line says that there is no such account', async () => {
  await server.account('terminal');
  const other = await openCore(testConfig(server.data), createLog('silent'));
  try {
    const commands = await importDefault<readonly (Command | CommandGroup)[]>('login', 'commands');
    const command = commands
      ?.flatMap((group) => ('usage' in group ? [] : group.commands))
      .find(({ usage }) => usage.startsWith('unlock'));
    const withStore: CommandContext['withStore'] = (work) => work({ ...other, identity: other });
    const run = async () => command?.run({ withStore } as CommandContext, ['terminal'], {});
    const code = await whileParked(other.store, run, () => remove('terminal')).catch(
      (error: { code: string }) => error.code,
    );
    assert.is(code, 'account_not_found');
  } finally {
    await other.close();
  }
});
