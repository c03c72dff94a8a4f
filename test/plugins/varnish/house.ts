import { chmodSync, chownSync, existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { installedVersions } from '../../../kernel/kit/programs/php-versions.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { Nginx } from '../../support/nginx.ts';
import { fetchAnswer } from '../../support/page.ts';
import { reportSkipped } from '../../support/suite.ts';

/** The first user id of accounts, other than those of files that run beside this one. */
const FIRST = 330_000 + 100 * (process.pid % 1000);

/** Whether Varnish is installed, and this process may start it for accounts. Throws in CI if not. */
export function hasVarnish(): boolean {
  if (existsSync('/usr/sbin/varnishd') && process.getuid?.() === 0) return true;
  reportSkipped('tests with a real Varnish; install it with apt-get install -y varnish, and run them as root');
  return false;
}

/** A server whose accounts may have Varnish and PHP, behind nginx. The caller closes it, and opens it again. */
export async function openHouse() {
  const nginx = await Nginx.start('www-data');
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const [data, run] = [join(folder, 'data'), join(folder, 'run')];
  const config = {
    ...{ webserver: nginx.settings, files_root: join(nginx.folder, 'files/{username}'), ids: { first: FIRST } },
    php: { run_folder: join(folder, 'php'), drain_seconds: 0 },
    services: { run_folder: run, storage_folder: join(folder, 'stored'), recipes_folder: '' },
  };
  return { nginx, run, open: () => TestServer.open({ data, config }) };
}

export type Customer = Awaited<ReturnType<typeof customer>>;

/** An account with a site. */
export async function customer(server: TestServer, { port }: Nginx, name: string) {
  const { account, token } = await server.user(name);
  const domain = `${name}.example`;
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await server.ask(path, { method, token, ...(body && { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await ask('POST', '/api/domains/new', { domain_url: domain });
  const [version] = await installedVersions();
  await ask('PUT', `/api/php/sites/${domain}/version`, { version });
  const uid = FIRST + account.id;
  return {
    ...{ id: account.id, uid, name, domain, token, ask },
    folder: join(account.filesRoot, '.services/varnish'),
    get: (path = '/', headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      fetchAnswer(port, domain, path, { headers, method }),
    put: (file: string, text: string) => {
      const path = join(account.filesRoot, domain, file);
      writeFileSync(path, text);
      chownSync(path, uid, uid);
    },
    keep: (cached: boolean) => ask('PUT', `/api/site-cache/${domain}`, { cached }),
    turn: (isOn: boolean) => ask('PUT', '/api/services/varnish', { is_on: isOn }),
  };
}

/** Asks at a socket; resolves with the status, 0 for none. */
export function askSocket(socketPath: string, method: string, host: string, path: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, method, path, headers: { host }, agent: false }, (response) => {
      resolve(response.resume().statusCode ?? 0);
    });
    sent.on('error', () => resolve(0)).end();
  });
}
