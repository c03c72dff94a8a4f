import { chmodSync, existsSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer, type Answer } from '../../support/hostkeep.ts';
import { Caddy } from '../../support/caddy.ts';
import { hasMariaDb, MariaDb } from '../../support/mariadb.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { reportSkipped } from '../../support/suite.ts';

/** The first user id of accounts. */
export const FIRST = 200_000;

/** Whether this machine has all that a session needs. Throws in CI if not. */
export function hasPhpMyAdmin(): boolean {
  const isThere = existsSync('/usr/share/phpmyadmin/index.php') && process.getuid?.() === 0;
  if (!isThere)
    reportSkipped(
      'tests with a real phpMyAdmin; install it with apt-get install --no-install-recommends phpmyadmin php-fpm, and run them as root',
    );
  return isThere && hasMariaDb() && hasNginx();
}

/** A web server of the tests, and settings with which a node serves through it. */
export interface Serving {
  readonly config: Readonly<Record<string, unknown>>;
  readonly remove: () => Promise<void>;
}

export async function nginx(): Promise<Serving> {
  const started = await Nginx.start('www-data');
  const files = join(started.folder, 'files/{username}');
  return { config: { webserver: started.settings, files_root: files }, remove: () => started.remove() };
}

export async function caddy(): Promise<Serving> {
  const started = await Caddy.start();
  chmodSync(started.folder, 0o755);
  return { config: started.config, remove: () => started.remove() };
}

export interface Customer {
  readonly id: number;
  readonly username: string;
  readonly domain: string;
  readonly token: string;
  readonly filesRoot: string;
  ask<T = Record<string, unknown>>(path: string, method?: string, body?: unknown): Promise<Answer<T>>;
  /** Opens a session, and returns its link. */
  open(): Promise<URL>;
}

export interface House {
  readonly server: TestServer;
  readonly mariaDb: MariaDb;
  /** The folder of sockets. */
  readonly run: string;
  customer(name: string): Promise<Customer>;
  close(): Promise<void>;
}

export async function openHouse(start: () => Promise<Serving> = nginx, settings: object = {}): Promise<House> {
  const [serving, mariaDb] = await Promise.all([start(), MariaDb.start()]);
  const run = join(temporaryFolder(), 'phpmyadmin');
  chmodSync(join(run, '..'), 0o755);
  const server = await TestServer.start({
    config: {
      ...serving.config,
      databases: mariaDb.settings,
      phpmyadmin: { run_folder: run, check_seconds: 1, ...settings },
    },
  });
  return {
    ...{ server, mariaDb, run },
    customer: (name) => customer(server, name),
    close: async () => {
      await server.close();
      await Promise.all([serving.remove(), mariaDb.remove()]);
    },
  };
}

async function customer(server: TestServer, username: string): Promise<Customer> {
  const { account, token } = await server.user(username);
  const domain = `${username}.example`;
  const ask = <T>(path: string, method = 'GET', body?: unknown) =>
    server.ask<T>(path, { method, token, ...(body !== undefined && { body }) });
  assert.is((await ask('/api/domains/new', 'POST', { domain_url: domain })).status, 201);
  return {
    ...{ id: account.id, username, domain, token, filesRoot: account.filesRoot, ask },
    open: async () => {
      const { status, body } = await ask<{ url: string }>('/api/phpmyadmin', 'POST', { domain_url: domain });
      assert.is(status, 201, JSON.stringify(body));
      return new URL(body.url);
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A browser that keeps cookies, believes each certificate, and finds each name at loopback. */
export class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: URL, form?: Readonly<Record<string, string>>): Promise<Reply> {
    const reply = await this.#once(url, form);
    for (const cookie of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    return reply;
  }

  /** The same, with what redirects lead to. */
  async follow(url: URL): Promise<Reply & { readonly url: URL }> {
    let at = url;
    for (let steps = 0; ; steps += 1) {
      const reply = await this.get(at);
      const { location } = reply.headers;
      if (location === undefined || reply.status >= 400) return { ...reply, url: at };
      assert.ok(steps < 5, `it leads on and on, to ${location}`);
      at = new URL(location, at);
    }
  }

  #once(url: URL, form?: Readonly<Record<string, string>>): Promise<Reply> {
    const content = form && new URLSearchParams(form).toString();
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const sent = request(
        {
          host: '127.0.0.1',
          servername: url.hostname,
          port: url.port,
          path: url.pathname + url.search,
          method: content === undefined ? 'GET' : 'POST',
          headers: {
            host: url.host,
            cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            ...(content !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
          agent: false,
          rejectUnauthorized: false,
        },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
        },
      );
      sent.on('error', reject);
      sent.end(content);
    });
  }
}
