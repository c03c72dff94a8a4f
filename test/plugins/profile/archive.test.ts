import * as assert from '../../support/assert.ts';
import profile from '../../../plugins/profile/index.ts';
import { archivedPart, putBack, refusal } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('favorites in archives');

test('favorites come along in their order, and what is hostile is refused', async () => {
  const server = await TestServer.start({ plugins: [profile] });
  const { token } = await server.user('ann');
  await server.user('bob');
  for (const [link, title] of [
    ['/home/domains', 'Domains'],
    ['https://example.com/', 'Site'],
  ])
    assert.is((await server.ask('/api/favorites', { method: 'PUT', token, body: { link, title } })).status, 200);
  const saved = await archivedPart<object[]>(server, 'ann', 'profile');
  assert.match(await refusal(server, 'bob', 'profile', [{ link: '/', title: 'a\nb' }]), /title must match/);
  const { missing } = await putBack(server, 'bob', 'profile', [{ link: 'javascript:alert(1)', title: 'x' }]);
  assert.match(missing.join(), /^the favorite x: /);
  assert.equal(await putBack(server, 'bob', 'profile', saved), { missing: [], next: [] });
  assert.equal(await archivedPart(server, 'bob', 'profile'), saved);
});
