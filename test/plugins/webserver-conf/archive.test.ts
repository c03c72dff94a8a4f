import * as assert from '../../support/assert.ts';
import webserverConf from '../../../plugins/webserver-conf/index.ts';
import { archivedPart, atDomain, putBack, refusal, siteOwner } from '../../support/carried.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('settings of sites in archives');

test('settings of sites come along, within the plan, and what is hostile is refused', async () => {
  const server = await TestServer.start({ plugins: [domains, webserverConf] });
  const features = ['domains', 'webserver_conf'];
  await server.hostkeep.core.plans.create('few', { limits: { upload_limit_mib: 10 } }, features);
  const [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob', 'few')];
  const settings = {
    index_files: ['start.html'],
    caching: [{ kind: 'images', seconds: 60 }],
    headers: [{ name: 'Referrer-Policy', value: 'same-origin' }],
    upload_mib: 20,
  };
  assert.is((await ann('PUT', '/api/site-settings/ann.example', settings)).status, 200);
  const [kept] = atDomain(await archivedPart<object[]>(server, 'ann', 'webserver-conf'), 'ann', 'bob');
  for (const [wrong, reason] of [
    [{ upload_mib: '20' }, /upload_mib must/],
    [{ caching: [{ kind: 'all', seconds: 1 }] }, /kind must be one of/],
    [{ modules: 'lua' }, /modules is not known here/],
  ] as const)
    assert.match(await refusal(server, 'bob', 'webserver-conf', [{ ...kept, ...wrong }]), reason);
  const hostile = [{ headers: [{ name: 'Set-Cookie', value: 'a=b' }] }, { index_files: ['../../etc/passwd'] }];
  const { missing } = await putBack(
    server,
    'bob',
    'webserver-conf',
    hostile.map((each) => ({ ...kept, upload_mib: null, ...each })),
  );
  assert.is(missing.length, 2);
  const reasons = [/this header cannot be added/, /an index file has a name/];
  for (const [i, reason] of reasons.entries()) assert.match(missing[i] ?? '', reason);

  const cut = await putBack(server, 'bob', 'webserver-conf', [{ ...kept, folder_listing: true }]);
  assert.equal(cut.missing, [
    'uploads of 20 MiB to bob.example: the plan allows 10',
    'the folder listing of bob.example: the web server offers none',
  ]);
  const listed = async (ask: typeof ann) => (await ask('GET', '/api/site-settings')).body['sites'] as object[];
  const before = await listed(ann);
  assert.equal(atDomain(await listed(bob), 'bob', 'ann'), [{ ...before[0], upload_mib: 10 }]);
  await server.hostkeep.core.accounts.update('bob', { plan: 'developer' });
  assert.equal(await putBack(server, 'bob', 'webserver-conf', [kept]), { missing: [], next: [] });
  assert.equal(atDomain(await listed(bob), 'bob', 'ann'), before);
});
