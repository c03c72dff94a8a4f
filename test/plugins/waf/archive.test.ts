import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import waf from '../../../plugins/waf/index.ts';
import { archivedPart, atDomain, putBack, refusal, siteOwner } from '../../support/carried.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('the firewall in archives');

test('the firewall comes along where there is one, and what is hostile is refused', async () => {
  let program = 'caddy';
  const log = join(temporaryFolder(), 'waf.log');
  writeFileSync(log, '');
  const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 9, name: program }));
  const server = await TestServer.start({
    plugins: [domains, waf, webServer.plugin],
    config: { waf: { audit_log: log } },
  });
  const [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob')];
  program = 'nginx';
  const settings = { mode: 'on', excluded_ids: [942_100], excluded_tags: ['attack-sqli'] };
  assert.is((await ann('PUT', '/api/site-firewall/ann.example', settings)).status, 200);
  const saved = atDomain(await archivedPart<object[]>(server, 'ann', 'waf'), 'ann', 'bob');
  const wrong = (change: object) => refusal(server, 'bob', 'waf', [{ ...saved[0], ...change }]);
  assert.match(await wrong({ mode: 'loud' }), /mode must be one of/);
  assert.match(await wrong({ excluded_ids: [1] }), /excluded_ids.0 must be/);
  const tag = await putBack(server, 'bob', 'waf', [{ ...saved[0], excluded_tags: ['a" "ctl:ruleEngine=Off'] }]);
  assert.equal(tag.missing, ['the firewall of bob.example: a tag has letters, digits and _./-']);
  program = 'caddy';
  const none = await putBack(server, 'bob', 'waf', saved);
  assert.equal(none.missing, ['the firewall of bob.example: the web server has no module that checks requests']);
  program = 'nginx';
  assert.equal(await putBack(server, 'bob', 'waf', saved), { missing: [], next: [] });
  const before = (await ann('GET', '/api/site-firewall')).body;
  assert.equal(atDomain((await bob('GET', '/api/site-firewall')).body, 'bob', 'ann'), before);
});
