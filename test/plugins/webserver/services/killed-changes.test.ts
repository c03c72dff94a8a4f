import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newPrivateKey, signCertificate } from '../../../../kernel/kit/net/x509.ts';
import * as assert from '../../../support/assert.ts';
import { startArmed } from '../armed.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';

await needs('domains', 'redirects', 'site-access', 'certificates');
const DOMAIN = 'shop.example';
const key = newPrivateKey();
const names = { subject: DOMAIN, issuer: DOMAIN, hosts: [DOMAIN] };
const certificate = await signCertificate({ ...names, key, issuerKey: key, days: 40 });
const CHANGES = {
  redirect: ['POST', '/api/redirects', { domain_url: DOMAIN, path: '/old', target: '/new' }],
  'blocked addresses': ['PUT', `/api/site-access/${DOMAIN}/blocked`, { addresses: ['127.0.0.0/8'] }],
  certificate: ['PUT', `/api/certificates/${DOMAIN}`, { certificate, private_key: key }],
  suspension: ['PUT', `/api/domains/${DOMAIN}/suspended`, { suspended: true }],
} as const;
const LISTS = ['/api/redirects', '/api/site-access', '/api/certificates', '/api/domains'];
const test = testSuite('webserver-killed-changes');

/** Returns settings by which the process is killed in a step of a change, as soon as there is a file. */
function killing(nginx: Nginx, armed: string, step: 'check' | 'reload'): object {
  const kill = `if [ -e '${armed}' ]; then kill -9 $PPID; fi`;
  const [check, reload] = [nginx.command('-t', '-q').join(' '), nginx.command('-s', 'reload').join(' ')];
  const settings = { ...nginx.settings, pid_file: '' };
  // by another name than nginx, so that it does not count as a check
  if (step === 'check')
    return { ...settings, check: ['/bin/sh', '-c', `${kill}; ${check}`], reload: ['/bin/sh', '-c', reload] };
  return { ...settings, reload: ['/bin/sh', '-c', `${reload}; ${kill}`] };
}

if (hasNginx())
  for (const [what, [method, path, body]] of Object.entries(CHANGES))
    for (const step of ['check', 'reload'] as const)
      test(`of a ${what}, a kill at the ${step} leaves nothing stored or served`, async () => {
        const [nginx, data] = [await Nginx.start(), temporaryFolder()];
        const serve = () => TestServer.start({ data, config: { webserver: nginx.settings } });
        const served = async () => {
          const pages = await Promise.all(['/', '/old'].map((each) => nginx.fetch(DOMAIN, each)));
          return JSON.stringify([
            pages,
            readdirSync(nginx.vhostFolder).filter((name) => /^hostkeep-.*pem$/.test(name)),
          ]);
        };
        const first = await serve();
        const { token } = await first.user('ann');
        const stored = async (server: TestServer) =>
          JSON.stringify(await Promise.all(LISTS.map(async (each) => (await server.ask(each, { token })).body)));
        const added = { method: 'POST', token, body: { domain_url: DOMAIN } };
        assert.is((await first.ask('/api/domains/new', added)).status, 201);
        const before = [await served(), await stored(first)];
        await first.close();

        const armed = join(data, 'armed');
        const { child, url } = await startArmed(data, armed, killing(nginx, armed, step));
        const ended = once(child, 'exit');
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = fetch(url + path, { method, headers, body: JSON.stringify(body) }).then(
          ({ status }) => status,
          () => 'none',
        );
        assert.equal([(await ended)[1], await answer], ['SIGKILL', 'none']);

        const next = await serve();
        try {
          assert.equal([await served(), await stored(next)], before);
          assert.ok((await next.ask(path, { method, token, body })).status < 300);
          assert.is.not(await served(), before[0]);
        } finally {
          await next.close();
          await nginx.remove();
        }
      });
