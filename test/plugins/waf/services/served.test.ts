import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('waf-served');
const MODULE = '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so';
const RULES = '/usr/share/modsecurity-crs/rules';
const ATTACK = '/?q=%3Cscript%3Ealert(1)%3C/script%3E';
const SQL = '/?id=1%27%20UNION%20SELECT%20password%20FROM%20users--%20';

function hasModule(): boolean {
  if (!hasNginx()) return false;
  if (existsSync(MODULE) && existsSync(RULES)) return true;
  reportSkipped(
    'tests with ModSecurity; install it with apt-get install -y libnginx-mod-http-modsecurity modsecurity-crs',
  );
  return false;
}

/** An nginx with ModSecurity, and the rules that Hostkeep ships. */
async function start(): Promise<{ readonly nginx: Nginx; readonly log: string }> {
  const nginx = await Nginx.start();
  const log = join(nginx.folder, 'logs/waf.log');
  const rules = join(nginx.folder, 'waf.conf');
  const shipped = readFileSync(join(projectDir, 'plugins/waf/rules/hostkeep.conf'), 'utf8');
  writeFileSync(rules, shipped.replace('/var/log/hostkeep/waf.log', log));
  const conf = join(nginx.folder, 'nginx.conf');
  const text = readFileSync(conf, 'utf8').replace(' http {', ` http { modsecurity_rules_file ${rules};`);
  writeFileSync(conf, `load_module ${MODULE};\n${text}`);
  await nginx.stop();
  await nginx.up();
  return { nginx, log };
}

interface Found {
  readonly uri: string;
  readonly ip: string;
  readonly status: number;
  readonly blocked: boolean;
  readonly rules: readonly { readonly id: number; readonly tags: readonly string[] }[];
}

async function open(nginx: Nginx, log: string) {
  const options = { data: temporaryFolder(), config: { webserver: nginx.settings, waf: { audit_log: log } } };
  const server = await TestServer.start(options);
  const customer = async (name: string) => {
    const { account, token } = await server.user(name);
    const domain = `${name}.example`;
    const added = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: domain } });
    assert.is(added.status, 201);
    mkdirSync(join(account.filesRoot, domain), { recursive: true });
    writeFileSync(join(account.filesRoot, domain, 'index.html'), 'Welcome');
    return {
      domain,
      set: async (body: object) => {
        const answer = await server.ask(`/api/site-firewall/${domain}`, { method: 'PUT', token, body });
        return answer.body['error'] ?? answer.status;
      },
      found: async () =>
        (await server.ask<{ requests: Found[] }>(`/api/site-firewall/${domain}/requests`, { token })).body.requests,
      status: async (path = '/') => (await nginx.fetch(domain, path)).status,
    };
  };
  return { server, customer, again: () => TestServer.start(options) };
}

/** Sends bytes as they are, and resolves with the first line of the answer. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1').split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

if (hasModule()) {
  test('attacks on a site are refused, told or let through, as its owner wants', async () => {
    const { nginx, log } = await start();
    const { server, customer } = await open(nginx, log);
    const [ann, bob] = [await customer('ann'), await customer('bob')];
    assert.equal([await ann.status(), await ann.status(ATTACK), await ann.status(SQL)], [200, 200, 200]);

    assert.is(await ann.set({ mode: 'on' }), 200);
    assert.equal([await ann.status(), await ann.status(ATTACK), await ann.status(SQL)], [200, 403, 403]);
    assert.equal([await bob.status(ATTACK), await bob.status(SQL)], [200, 200], "another account's site");
    const [sql, script] = await eventually('both', ann.found, (found) => found.length === 2);
    assert.equal([sql?.blocked, sql?.status, sql?.ip], [true, 403, '127.0.0.1']);
    assert.ok(
      sql?.rules.some(({ tags }) => tags.includes('attack-sqli')),
      JSON.stringify(sql),
    );
    assert.ok(
      script?.rules.some(({ tags }) => tags.includes('attack-xss')),
      JSON.stringify(script),
    );
    assert.ok(script?.uri.startsWith('/?q='));

    assert.is(await ann.set({ mode: 'report' }), 200);
    assert.is(await ann.status(ATTACK), 200);
    const [told] = await eventually('the third', ann.found, (found) => found.length === 3);
    assert.equal([told?.blocked, told?.status], [false, 200]);

    assert.is(await ann.set({ mode: 'on', excluded_tags: ['attack-xss'] }), 200);
    assert.equal([await ann.status(ATTACK), await ann.status(SQL)], [200, 403]);
    const ids = sql?.rules.map(({ id }) => id) ?? [];
    assert.is(await ann.set({ excluded_ids: ids }), 200);
    assert.is(await ann.status(SQL), 200);
    assert.is(await ann.set({ mode: 'off', excluded_ids: [], excluded_tags: [] }), 200);
    assert.is(await ann.status(ATTACK), 200);
    assert.equal(await bob.found(), []);
    await server.close();
    await nginx.remove();
  });

  test('attacks are refused while and after the server starts anew', async () => {
    const { nginx, log } = await start();
    const { server, customer, again } = await open(nginx, log);
    const cid = await customer('cid');
    assert.is(await cid.set({ mode: 'on' }), 200);
    await server.close();
    const settled = new AbortController();
    const seen = (async () => {
      const statuses = new Set<number>();
      while (!settled.signal.aborted) statuses.add(await cid.status(ATTACK));
      return [...statuses];
    })();
    const next = await again();
    settled.abort();
    assert.equal(await seen, [403]);
    await next.close();
    await nginx.remove();
  });

  // threat forged-state: no request is listed for a site that did not serve it, or makes a line of its own
  test('a request is listed for the site that served it, whatever it says', async () => {
    const { nginx, log } = await start();
    const { server, customer } = await open(nginx, log);
    const [ann, bob] = [await customer('ann'), await customer('bob')];
    for (const each of [ann, bob]) assert.is(await each.set({ mode: 'on' }), 200);
    const heads = [
      `GET http://${ann.domain}${ATTACK} HTTP/1.1\r\nHost: ${bob.domain}\r\nConnection: close\r\n\r\n`,
      `GET ${ATTACK}&u="},"x":"\\n\x01\xff HTTP/1.1\r\nHost: ${ann.domain}\r\nX-Id: ${bob.domain}/1.000/${'0'.repeat(32)}\r\nConnection: close\r\n\r\n`,
    ];
    for (const head of heads) await send(nginx.port, head);
    await until('a request of ann', async () => (await ann.found()).length >= 1);
    await bob.status(ATTACK);
    await until('that of bob', async () => (await bob.found()).length >= 1);
    assert.is((await bob.found()).length, 1);
    await server.close();
    await nginx.remove();
  });

  test('doctor attacks a site that has a firewall, and says if nothing refuses it', async () => {
    const { nginx, log } = await start();
    const { server, customer } = await open(nginx, log);
    const findings = async () =>
      (await server.hostkeep.plugins.gather('doctor')).flatMap((part) =>
        part.plugin === 'waf' && part.ok ? part.value : [],
      );
    assert.is((await findings())[0]?.isUntried, true);
    const ann = await customer('ann');
    assert.is(await ann.set({ mode: 'on' }), 200);
    assert.match((await findings())[0]?.detail ?? '', /refuses an attack on ann\.example/);
    const conf = join(nginx.folder, 'nginx.conf');
    writeFileSync(conf, readFileSync(conf, 'utf8').replace(/modsecurity_rules_file [^;]+;/, ''));
    await nginx.stop();
    await nginx.up();
    const [found] = await findings();
    assert.equal([found?.ok, found?.detail], [false, 'nginx answers an attack on ann.example with 200']);
    await server.close();
    await nginx.remove();
  });
}

if (hasNginx())
  test('without the module nothing is changed, and sites go on', async () => {
    const nginx = await Nginx.start();
    const log = join(nginx.folder, 'logs/waf.log');
    writeFileSync(log, '');
    const { server, customer } = await open(nginx, log);
    const ann = await customer('ann');
    assert.is(await ann.set({ mode: 'on' }), 'webserver_failed');
    assert.is(await ann.status(ATTACK), 200);
    assert.is(await ann.set({ mode: 'off' }), 200);
    await server.close();
    await nginx.remove();
  });
