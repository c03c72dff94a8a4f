import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { hostkeep } from '../../../support/command.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('domains: commands');

test('an operator adds a domain to an account, and is told where its files belong', async () => {
  const server = await TestServer.start();
  const { account, token } = await server.user('ann');
  const add = (...args: string[]) => hostkeep(server.data, ['domain', 'add', ...args]);
  const folder = join(account.filesRoot, 'shop.example');
  const added = await add('ann', 'Shop.example', '--json');
  const { uid } = statSync(account.filesRoot); // which the command has made
  assert.equal(JSON.parse(added.stdout), { domain: 'shop.example', account: 'ann', folder, uid }, added.stderr);
  assert.ok(existsSync(folder));
  const total = async () => (await server.ask('/api/domains', { token })).body['total'];
  await until('the server sees it', async () => (await total()) === 1);
  const own = await add('ann', 'blog.example', '--docroot', '/var/www/html/blog');
  assert.match(own.stdout, /^blog\.example is added; its files belong into \S+\/ann\/blog, and to the user id \d+\n$/);
  await server.admin();
  const toAdmin = await add('root', 'roots.example', '--json');
  assert.equal([toAdmin.code, (JSON.parse(toAdmin.stderr) as { error: string }).error], [1, 'account_not_found']);
  const twice = await add('ann', 'shop.example', '--json');
  assert.equal([twice.code, (JSON.parse(twice.stderr) as { error: string }).error], [1, 'domain_exists']);
  const { stdout } = await hostkeep(server.data, ['domain', 'list']);
  assert.ok(stdout.includes(folder), stdout);
});
