import * as assert from '../../support/assert.ts';
import domains from '../../../plugins/domains/index.ts';
import { archivedPart, putBack, refusal } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domains in archives');

// threat fail-open: a domain of an archive is served once all of its rules are there, or the account does not come
test('domains are served once their account is open', async () => {
  const webServer = new NotedWebServer();
  const plugins = [domains, webServer.plugin];
  const [old, fresh] = [await TestServer.start({ plugins }), await TestServer.start({ plugins })];
  const { token } = await old.user('ann');
  await fresh.user('ann');
  const post = (path: string, body: object) => old.ask(path, { method: 'POST', token, body });
  assert.is((await post('/api/domains/new', { domain_url: 'ann.example' })).status, 201);
  assert.is((await post('/api/aliases', { domain_url: 'ann.example', alias: 'also.example' })).status, 201);
  const saved = await archivedPart<object[]>(old, 'ann', 'domains');
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], id: 7 }]), /id is not known here/);
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], docroot: '../bob' }]), /must not contain/);
  assert.match(await refusal(fresh, 'ann', 'domains', [{ ...saved[0], name: 'no name' }]), /domain/);

  const told = await putBack(fresh, 'ann', 'domains', saved);
  assert.equal(told, { missing: [], next: [] });
  assert.equal(webServer.served('ann.example')?.names, ['www.ann.example', 'also.example']);
  assert.equal(await archivedPart(fresh, 'ann', 'domains'), saved);
  webServer.refusesNext = true;
  assert.match(await refusal(fresh, 'ann', 'domains', []), /the server refuses/);
});
