import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import { AccountRounds } from '../../kernel/areas/tasks/account-rounds.ts';
import * as assert from '../support/assert.ts';
import { TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('rounds of accounts');

test('each account with the feature has its turn once, and nothing is asked for nobody', async () => {
  let host: Host | undefined;
  const plugin = definePlugin({
    name: 'turns',
    description: 'Has a host for work.',
    features: ['dns'],
    routes: {},
    setup: (given) => ((host = given), { handlers: {} }),
  });
  const server = await TestServer.start({ plugins: [plugin] });
  if (host === undefined) throw new Error('the plugin was not set up');
  const { local } = host;
  await local.write((tx) => tx.run('create table turns (account_id integer primary key, done_at integer not null)'));
  const asked: string[] = [];
  let isReady = false;
  const begin = (): AccountRounds => {
    const rounds = new AccountRounds(host as Host, {
      ...{ feature: 'dns', table: 'turns', everyDays: 1, checkSeconds: 0.05 },
      ready: async () => {
        asked.push('ready');
        if (!isReady) throw new Error('not yet');
      },
      run: async ({ username }) => void asked.push(username),
    });
    rounds.start();
    return rounds;
  };
  await server.account('none', 'basic');
  await begin().close();
  assert.equal(asked, [], 'nobody is due');

  await server.account('ann');
  await server.account('ben');
  const rounds = begin();
  await until('it has looked twice', () => asked.length > 1);
  assert.equal([...new Set(asked)], ['ready'], 'nobody has a turn before');
  isReady = true;
  await until('both had their turn', async () => (await local.all('select * from turns')).length === 2);
  await rounds.close();
  assert.equal(asked.slice(-2), ['ann', 'ben']);
  const all = asked.length;
  await begin().close();
  assert.is(asked.length, all, 'nobody is due again');
});
