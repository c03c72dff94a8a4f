import * as assert from '../../support/assert.ts';
import redirects from '../../../plugins/redirects/index.ts';
import { archivedPart, atDomain, putBack, refusal, siteOwner } from '../../support/carried.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('redirects in archives');

test('redirects come along, within the plan, and what is hostile is refused', async () => {
  const server = await TestServer.start({ plugins: [domains, redirects] });
  await server.hostkeep.core.plans.create('few', { limits: { redirects_limit: 1 } }, ['domains', 'redirects']);
  const [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob', 'few')];
  for (const body of [
    { path: '/old', target: '/new', status: 308 },
    { path: '/shop', match: 'prefix', target: 'https://other.example/', keep_path: true },
  ])
    assert.is((await ann('POST', '/api/redirects', { domain_url: 'ann.example', ...body })).status, 201);
  const saved = atDomain(await archivedPart<Record<string, unknown>[]>(server, 'ann', 'redirects'), 'ann', 'bob');

  const [first] = saved;
  for (const [wrong, reason] of [
    ['all', /redirects must be array/],
    [[{ ...first, redirect_id: 1 }], /redirect_id is not known here/],
    [[{ ...first, account_id: 1 }], /account_id is not known here/],
    [[{ ...first, status: 200 }], /status must be one of 301/],
    [[{ ...first, path: 7 }], /path must be string/],
  ] as const)
    assert.match(await refusal(server, 'bob', 'redirects', wrong), reason);
  const hostile = [
    { ...first, domain_url: 'ann.example' },
    { ...first, target: '/a"; return 200' },
  ];
  const { missing } = await putBack(server, 'bob', 'redirects', hostile);
  assert.match(missing[0] ?? '', /^the redirect from ann.example\/old: the account has no domain of this name$/);
  assert.match(missing[1] ?? '', /^the redirect from bob.example\/old: the target must be /);
  assert.equal((await bob('GET', '/api/redirects')).body['redirects'], []);

  const told = await putBack(server, 'bob', 'redirects', saved);
  assert.equal(told.missing, ['the redirect from bob.example/shop: a domain can have 1 redirect']);
  await server.hostkeep.core.accounts.update('bob', { plan: 'developer' });
  assert.equal(await putBack(server, 'bob', 'redirects', saved), { missing: [], next: [] });
  const before = atDomain((await ann('GET', '/api/redirects')).body, 'ann', 'bob');
  assert.equal(atDomain((await bob('GET', '/api/redirects')).body, 'ann', 'bob'), before);
});
