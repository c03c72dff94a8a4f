import * as assert from '../../support/assert.ts';
import varnish from '../../../plugins/varnish/index.ts';
import { archivedPart, atDomain, outcome, putBack, refusal, siteOwner } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const [domains, services] = await needs('domains', 'services');
const test = testSuite('varnish');

test('Varnish is put before sites of nginx only, and comes along in archives', async () => {
  let program = 'caddy';
  const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 9, name: program }));
  const server = await TestServer.start({ plugins: [domains, services, varnish, webServer.plugin] });
  const [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob')];
  const path = '/api/site-cache/ann.example';
  assert.is(await outcome(bob, 'PUT', path, { cached: false }), '404 domain_not_found');
  assert.is(await outcome(ann, 'PUT', path, { cached: 'yes' }), '400 invalid_request');
  assert.is(await outcome(ann, 'PUT', path, { cached: true }), '409 cache_not_offered');
  const site = { domain_url: 'ann.example', cached: false };
  assert.equal(await outcome(ann, 'GET', '/api/site-cache'), { offered: false, is_on: false, sites: [site] });
  program = 'nginx';
  assert.equal(await outcome(ann, 'PUT', path, { cached: true }), { ...site, cached: true });
  const shown = { offered: true, is_on: false, sites: [{ ...site, cached: true }] };
  assert.equal(await outcome(ann, 'GET', '/api/site-cache'), shown);
  const saved = atDomain(await archivedPart<object[]>(server, 'ann', 'varnish'), 'ann', 'bob');
  assert.match(await refusal(server, 'bob', 'varnish', [{ ...saved[0], cached: 1 }]), /cached must be boolean/);
  assert.equal(await putBack(server, 'bob', 'varnish', saved), { missing: [], next: [] });
  assert.equal(await outcome(bob, 'GET', '/api/site-cache'), atDomain(shown, 'ann', 'bob'));
  await server.hostkeep.core.plans.setFeature('developer', 'varnish', false);
  assert.is(await outcome(ann, 'GET', '/api/site-cache'), '403 feature_disabled');
});
