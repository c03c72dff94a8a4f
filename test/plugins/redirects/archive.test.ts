import * as assert from '../../support/assert.ts';
import redirects from '../../../plugins/redirects/index.ts';
import { archivedPart, atDomain, putBack, putBackLive, refusal, siteOwner } from '../../support/carried.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('redirects in archives');

interface Saved {
  readonly redirects: readonly Record<string, unknown>[];
}

test('redirects come along, within the plan, and what is hostile is refused', async () => {
  const server = await TestServer.start({ plugins: [domains, redirects] });
  await server.hostkeep.core.plans.create('few', { limits: { redirects_limit: 1 } }, ['domains', 'redirects']);
  const [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob', 'few')];
  for (const body of [
    { path: '/old', target: '/new', status: 308 },
    { path: '/shop', match: 'prefix', target: 'https://other.example/', keep_path: true },
  ])
    assert.is((await ann('POST', '/api/redirects', { domain_url: 'ann.example', ...body })).status, 201);
  const main = { main_address: 'www.ann.example' };
  assert.is((await ann('PUT', '/api/main-addresses/ann.example', main)).status, 200);
  const saved = atDomain(await archivedPart<Saved>(server, 'ann', 'redirects'), 'ann', 'bob');

  const [first] = saved.redirects;
  for (const [wrong, reason] of [
    ['all', /redirects must be object/],
    [{ redirects: 'all' }, /redirects must be array/],
    [{ main_addresses: [{ domain_url: 'bob.example', main_address: 7 }] }, /main_address must/],
    [{ redirects: [{ ...first, redirect_id: 1 }] }, /redirect_id is not known here/],
    [{ redirects: [{ ...first, account_id: 1 }] }, /account_id is not known here/],
    [{ redirects: [{ ...first, status: 200 }] }, /status must be one of 301/],
    [{ redirects: [{ ...first, path: 7 }] }, /path must be string/],
  ] as const)
    assert.match(await refusal(server, 'bob', 'redirects', wrong), reason);
  const hostile = [
    { ...first, domain_url: 'ann.example' },
    { ...first, target: '/a"; return 200' },
  ];
  const { missing } = await putBack(server, 'bob', 'redirects', {
    redirects: hostile,
    main_addresses: [{ domain_url: 'bob.example', main_address: 'www.ann.example' }],
  });
  assert.match(missing[0] ?? '', /^the redirect from ann.example\/old: the account has no domain of this name$/);
  assert.match(missing[1] ?? '', /^the redirect from bob.example\/old: the target must be /);
  assert.is(missing[2], 'the main address of bob.example: the site does not answer to this name');
  assert.equal((await bob('GET', '/api/redirects')).body['redirects'], []);

  const told = await putBack(server, 'bob', 'redirects', saved);
  assert.equal(told.missing, ['the redirect from bob.example/shop: a domain can have 1 redirect']);
  await server.hostkeep.core.accounts.update('bob', { plan: 'developer' });
  assert.equal(await putBack(server, 'bob', 'redirects', saved), { missing: [], next: [] });
  const before = atDomain((await ann('GET', '/api/redirects')).body, 'ann', 'bob');
  assert.equal(atDomain((await bob('GET', '/api/redirects')).body, 'ann', 'bob'), before);
  const addresses = ['bob.example', 'www.bob.example'];
  const site = { domain_url: 'bob.example', addresses, main_address: 'www.bob.example' };
  assert.equal((await bob('GET', '/api/main-addresses')).body, { sites: [site] });
});

test('an account in use gets its redirects of before, and keeps those of later', async () => {
  const server = await TestServer.start({ plugins: [domains, redirects] });
  const ann = await siteOwner(server, 'ann');
  const add = async (path: string, target: string) => {
    const { status, body } = await ann('POST', '/api/redirects', { domain_url: 'ann.example', path, target });
    assert.is(status, 201);
    return String(body['redirect_id']);
  };
  const [one] = [await add('/one', '/new'), await add('/two', '/new')];
  const saved = await archivedPart<Saved>(server, 'ann', 'redirects');
  assert.is((await ann('DELETE', `/api/redirects/${one}`)).status, 200);
  await add('/one', '/elsewhere');
  await add('/three', '/one');
  const main = { main_address: 'www.ann.example' };
  assert.is((await ann('PUT', '/api/main-addresses/ann.example', main)).status, 200);
  const listed = async () =>
    ((await ann('GET', '/api/redirects')).body['redirects'] as Record<string, unknown>[]).map(
      ({ path, target }) => `${String(path)} ${String(target)}`,
    );
  const circular = { redirects: [{ ...saved.redirects[0], path: '/new', target: '/three' }] };
  const { missing } = await putBackLive(server, 'ann', 'redirects', circular);
  assert.equal([missing, (await listed()).length], [[], 4], 'nothing leads from /elsewhere yet');
  assert.equal(await putBackLive(server, 'ann', 'redirects', saved), {
    ...{ isLive: true, next: [] },
    missing: ['the redirect from ann.example/one: the redirect would lead back to itself'],
  });
  assert.equal(await listed(), ['/new /three', '/one /elsewhere', '/three /one', '/two /new']);
  const { redirects: all } = await archivedPart<Saved>(server, 'ann', 'redirects');
  assert.is(all.length, 4);
  const { body } = await ann('GET', '/api/main-addresses');
  assert.is((body['sites'] as { main_address: string | null }[])[0]?.main_address, null);
});
