import * as assert from '../../support/assert.ts';
import varnish from '../../../plugins/varnish/index.ts';
import { archivedPart, atDomain, putBack, refusal, siteOwner } from '../../support/carried.ts';
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
  const told = async (who: typeof ann, method: string, path: string, body?: object) => {
    const { status, body: answer } = await who(method, path, body);
    return status < 300 ? answer : `${status} ${String((answer as Record<string, unknown>)['error'])}`;
  };
  const path = '/api/site-cache/ann.example';
  assert.is(await told(bob, 'PUT', path, { cached: false }), '404 domain_not_found');
  assert.is(await told(ann, 'PUT', path, { cached: 'yes' }), '400 invalid_request');
  assert.is(await told(ann, 'PUT', path, { cached: true }), '409 cache_not_offered');
  const site = { domain_url: 'ann.example', cached: false };
  assert.equal(await told(ann, 'GET', '/api/site-cache'), { offered: false, is_on: false, sites: [site] });
  program = 'nginx';
  assert.equal(await told(ann, 'PUT', path, { cached: true }), { ...site, cached: true });
  const shown = { offered: true, is_on: false, sites: [{ ...site, cached: true }] };
  assert.equal(await told(ann, 'GET', '/api/site-cache'), shown);
  const saved = atDomain(await archivedPart<object[]>(server, 'ann', 'varnish'), 'ann', 'bob');
  assert.match(await refusal(server, 'bob', 'varnish', [{ ...saved[0], cached: 1 }]), /cached must be boolean/);
  assert.equal(await putBack(server, 'bob', 'varnish', saved), { missing: [], next: [] });
  assert.equal(await told(bob, 'GET', '/api/site-cache'), atDomain(shown, 'ann', 'bob'));
  await server.hostkeep.core.plans.setFeature('developer', 'varnish', false);
  assert.is(await told(ann, 'GET', '/api/site-cache'), '403 feature_disabled');
});
