import * as assert from '../../support/assert.ts';
import nginxRules from '../../../plugins/nginx-rules/index.ts';
import { putBack, refusal, siteOwner } from '../../support/carried.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const [domains] = await needs('domains');
const test = testSuite('nginx-rules without nginx');
const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 9, name: 'caddy' }));

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, nginxRules, webServer.plugin] })));

test('each faulty line is told, and nothing is changed', async () => {
  const ask = await siteOwner(server, 'ann');
  const set = (rules: unknown, domain = 'ann.example') => ask('PUT', `/api/nginx-rules/${domain}`, { rules });
  const { status, body } = await set('deny all;\nroot /;\nlocation / { }');
  assert.equal([status, body['error']], [422, 'invalid_nginx_rules']);
  assert.is(body['detail'], 'line 2: root is none of the directives that can be used');
  const told = body['errors'] as { path: string; line: number }[];
  assert.equal(
    told.map(({ path, line }) => [path, line]),
    [
      ['/rules', 2],
      ['/rules', 3],
    ],
  );
  assert.is((await set(1)).status, 400);
  assert.is((await set('', 'other.example')).body['error'], 'domain_not_found');
  const { sites, offered, forms } = (await ask('GET', '/api/nginx-rules')).body;
  assert.equal([sites, offered], [[{ domain_url: 'ann.example', rules: '' }], false]);
  assert.ok((forms as string[]).includes('deny all;'));
});

test('where there is no nginx, directives are refused, and comments are not', async () => {
  const ask = await siteOwner(server, 'bob');
  const set = async (rules: string) => (await ask('PUT', '/api/nginx-rules/bob.example', { rules })).body;
  assert.is((await set('deny all;'))['error'], 'nginx_rules_not_offered');
  assert.is((await set('# later: deny all;\n'))['rules'], '# later: deny all;\n');
  assert.equal(webServer.served('bob.example')?.parts, { 'nginx-rules': { text: '# later: deny all;\n' } });
});

test('of an archive, what this server or nobody takes is told as missing', async () => {
  await siteOwner(server, 'eve');
  const kept = { domain_url: 'eve.example', rules: 'deny all;' };
  const { missing } = await putBack(server, 'eve', 'nginx-rules', [kept, { ...kept, rules: 'include /etc/shadow;' }]);
  assert.equal(missing, [
    'the nginx directives of eve.example: the server of the account uses no nginx',
    'the nginx directives of eve.example: line 1: include is none of the directives that can be used',
  ]);
  assert.match(await refusal(server, 'eve', 'nginx-rules', [{ ...kept, rules: 1 }]), /rules must/);
});
