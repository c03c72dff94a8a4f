import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { Caddy } from '../../support/caddy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { Nginx } from '../../support/nginx.ts';
import { fetchAnswer } from '../../support/page.ts';

/** The first user id of accounts. */
export const FIRST = 200_000;

/** Domains have no version until a test chooses one. */
const PHP = { drain_seconds: 0, default_version: '' } as const;

/** A web server of the tests, and settings with which a node serves through it. */
export interface Serving {
  readonly port: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly remove: () => Promise<void>;
}

export async function nginx(): Promise<Serving> {
  const started = await Nginx.start('www-data');
  const files = join(started.folder, 'files/{username}');
  return {
    port: started.port,
    config: { webserver: started.settings, files_root: files },
    remove: () => started.remove(),
  };
}

export async function caddy(): Promise<Serving> {
  const started = await Caddy.start();
  chmodSync(started.folder, 0o755);
  return { port: started.port, config: started.config, remove: () => started.remove() };
}

/** Returns the processes of a user, without those in which the service reads files for a while. */
export function processesOf(uid: number): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('job-process')) return false;
      return new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'));
    } catch {
      return false; // it has ended
    }
  });
}

interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Customer {
  readonly id: number;
  readonly domain: string;
  /** Of the web server. */
  readonly port: number;
  readonly token: string;
  /** The document root. */
  readonly docroot: string;
  readonly filesRoot: string;
  get(path?: string, headers?: Readonly<Record<string, string>>): ReturnType<typeof fetchAnswer>;
  put(file: string, text: string | Buffer): void;
  set(what: 'version' | 'options' | 'ini', body: object): Promise<Answered>;
  read(what: 'ini' | 'info'): Promise<Answered>;
}

export interface House {
  readonly server: TestServer;
  readonly run: string;
  customer(name: string, plan?: string): Promise<Customer>;
  change(name: string, verb: 'suspend' | 'unsuspend'): Promise<void>;
}

export async function inHouse(
  start: () => Promise<Serving>,
  use: (house: House) => Promise<void>,
  php: object = {},
  others: object = {},
): Promise<void> {
  const serving = await start();
  const run = join(temporaryFolder(), 'php');
  chmodSync(join(run, '..'), 0o755);
  const config = { ...serving.config, ...others, php: { ...PHP, run_folder: run, ...php } };
  const server = await TestServer.start({ config });
  try {
    await use({
      server,
      run,
      customer: (name, plan) => customer(server, serving.port, name, plan),
      change: async (name, verb) => void (await server.hostkeep.core.accounts[verb](name)),
    });
  } finally {
    await server.close();
    await serving.remove();
  }
}

async function customer(server: TestServer, port: number, name: string, plan?: string): Promise<Customer> {
  const { account, token } = await server.user(name, plan);
  const domain = `${name}.example`;
  const ask = (path: string, method: string, body: object) =>
    server.ask<Record<string, unknown>>(path, { method, token, body });
  assert.is((await ask('/api/domains/new', 'POST', { domain_url: domain })).status, 201);
  const docroot = join(account.filesRoot, domain);
  return {
    ...{ id: account.id, domain, port, token, docroot, filesRoot: account.filesRoot },
    get: (path = '/', headers = {}) => fetchAnswer(port, domain, path, { headers }),
    put: (file, text) => {
      const path = join(docroot, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      for (let each = path; each !== docroot; each = dirname(each))
        chownSync(each, FIRST + account.id, FIRST + account.id);
    },
    set: (what, body) => ask(`/api/php/sites/${domain}/${what}`, 'PUT', body),
    read: (what) => server.ask(`/api/php/sites/${domain}/${what}`, { token }),
  };
}
