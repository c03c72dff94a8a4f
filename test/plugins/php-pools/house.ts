import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { installedVersions } from '../../../kernel/kit/programs/php-versions.ts';
import type { NodePool, NodePools } from '../../../plugins/php-pools/schema.ts';
import { atEnd } from '../../support/ending.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { fetchAnswer } from '../../support/page.ts';
import { reportSkipped } from '../../support/suite.ts';

/** The first user id of accounts, other than those of files that run beside this one. */
const FIRST = 530_000 + 100 * (process.pid % 1000);
export const [VERSION = ''] = await installedVersions();

/** Whether there is what such a node needs. Throws in CI if not. */
export function hasHouse(): boolean {
  if (VERSION !== '' && process.getuid?.() === 0) return hasNginx();
  reportSkipped('tests with a real PHP-FPM; install it with apt-get install -y php-fpm, and run them as root');
  return false;
}

/** A customer with a domain that runs PHP. */
export interface Customer {
  readonly id: number;
  readonly domain: string;
  readonly filesRoot: string;
  put(file: string, text: string): void;
  has(file: string): boolean;
  get(path?: string): ReturnType<typeof fetchAnswer>;
}

export interface House {
  readonly server: TestServer;
  customer(name: string, plan?: string): Promise<Customer>;
  list(query?: string): Promise<NodePools>;
  /** The only pool of an account. */
  pool(username: string): Promise<NodePool>;
  restart(pool: NodePool): Promise<number>;
  /** What files with an ending hold that stand beside the sockets of an account. */
  files(customer: Customer, ending: string): string[];
}

/** Starts a node with nginx and PHP. */
export async function openHouse(settings: object = {}): Promise<House> {
  const nginx = await Nginx.start('www-data');
  atEnd(() => nginx.remove());
  const run = join(temporaryFolder(), 'php');
  chmodSync(join(run, '..'), 0o755);
  const server = await TestServer.start({
    config: {
      ...{ webserver: nginx.settings, files_root: join(nginx.folder, 'files/{username}'), ids: { first: FIRST } },
      php: { run_folder: run, drain_seconds: 0, ...settings },
    },
  });
  const { token } = await server.admin();
  const list = async (query = '') => {
    const { status, body } = await server.ask<NodePools>(`/api/php-pools?${query}`, { token, address: 'admin' });
    assert.is(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    ...{ server, list },
    customer: (name, plan) => customer(server, nginx.port, name, plan),
    pool: async (username) => {
      const [only, ...others] = (await list(`q=${username}`)).pools;
      assert.ok(only !== undefined && others.length === 0, `${username} has one pool`);
      return only as NodePool;
    },
    restart: async ({ username, pool }) => {
      const path = `/api/php-pools/${username}/${pool}/restart`;
      return (await server.ask(path, { method: 'POST', token, address: 'admin' })).status;
    },
    files: ({ id }, ending) => {
      const folder = join(run, String(id));
      const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ending)) : [];
      return names.map((name) => readFileSync(join(folder, name), 'utf8'));
    },
  };
}

async function customer(server: TestServer, port: number, name: string, plan?: string): Promise<Customer> {
  const { account, token } = await server.user(name, plan);
  const domain = `${name}.example`;
  const ask = async (path: string, method: string, body: object) => {
    const answer = await server.ask(path, { method, token, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  };
  await ask('/api/domains/new', 'POST', { domain_url: domain });
  await ask(`/api/php/sites/${domain}/version`, 'PUT', { version: VERSION });
  return {
    ...{ id: account.id, domain, filesRoot: account.filesRoot },
    put: (file, text) => {
      const path = join(account.filesRoot, domain, file);
      writeFileSync(path, text);
      chownSync(path, FIRST + account.id, FIRST + account.id);
    },
    has: (file) => existsSync(join(account.filesRoot, domain, file)),
    get: (path = '/') => fetchAnswer(port, domain, path, { headers: {} }),
  };
}
