import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account, Role } from '../../kernel/identity/accounts/account.ts';
import { checkConfig, readJson, type Config } from '../../kernel/config/configuration.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { Hostkeep } from '../../kernel/run/hostkeep.ts';
import { createLog } from '../../kernel/log.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { ExtensionPoints } from '../../kernel/contract/extension-points.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { Plugin } from '../../kernel/contract/plugin.ts';
import { openStore } from '../../kernel/run/data/open-store.ts';
import type { Store } from '../../kernel/store/store.ts';
import { atEnd } from './ending.ts';
import { exchange } from './exchange.ts';
import { testStore } from './postgres.ts';
import { keptLog } from './kept-log.ts';
import { asker, type Asker } from './scenario.ts';
import { installedPlugins, isOptIn, type InstalledPlugin } from '../../kernel/host/discovery.ts';

/** Where the files of a test's accounts are. */
export const FILES_ROOT = '{data}/files/{username}';
export const PASSWORD = 'correct horse battery';
/** All test accounts share one hash, because hashing is slow by design; by the hasher, which a test may replace. */
const passwordHashes = new Map<unknown, Promise<string>>();

export interface TestOptions {
  /** Settings that override the defaults, e.g. `{ usage: { access: 'feature' } }`. */
  readonly config?: Record<string, unknown>;
  /** Plugins to load instead of all; the plan `developer` then has all their features. */
  readonly plugins?: readonly Plugin[];
  /** An existing data folder, which is not removed at the end. */
  readonly data?: string;
  /** How often the files of the certificate are read again. */
  readonly certificateMs?: number;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Person extends Asker {
  readonly account: Account;
  readonly token: string;
  /** Resolves with the lines of its activity log in which this appears, the newest first. */
  told(part: string): Promise<readonly string[]>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly address?: Address;
}

/** Returns settings for a server on free ports. */
export function testConfig(data: string, over: Record<string, unknown> = {}): Config {
  const defaults = readJson(join(projectDir, 'config/hostkeep.json'));
  const level = process.env['HOSTKEEP_TEST_LOG'] ?? 'silent';
  return checkConfig(
    {
      ...defaults,
      listen: '127.0.0.1:0',
      admin_listen: '127.0.0.1:0',
      log: { level },
      data,
      files_root: FILES_ROOT,
      ...testStore(data),
      ...over,
    },
    () => 'test',
  );
}

/** Opens the store of a data folder, as another process on the machine does. */
export const storeOf = (data: string): Promise<Store> => openStore(data, testConfig(data).store);

/** Plugins as if they were installed, for a server of their own. */
export const installed = (plugins: readonly Plugin[]): InstalledPlugin[] =>
  plugins.map((plugin) => ({
    name: plugin.name,
    isOptIn: isOptIn(plugin.name),
    features: () => plugin.features,
    load: async () => plugin,
  }));

/** All plugins of the product. */
export const allPlugins = (): Promise<Plugin[]> => Promise.all(installedPlugins().map((each) => each.load()));

type Supplied<P extends keyof ExtensionPoints> =
  Awaited<ReturnType<ExtensionPoints[P]>> extends readonly (infer T)[] ? T : never;

/** A real server on real sockets, with an empty store; every reply is checked against its schema. */
export class TestServer {
  readonly hostkeep: Hostkeep;
  readonly data: string;
  readonly #ownsData: boolean;
  #closing: Promise<void> | undefined;

  private constructor(hostkeep: Hostkeep, data: string, ownsData: boolean) {
    this.hostkeep = hostkeep;
    this.data = data;
    this.#ownsData = ownsData;
  }

  /** Starts a server, which closes at the end of the test, or of the suite if that starts it. */
  static async start(options: TestOptions = {}): Promise<TestServer> {
    const server = await TestServer.open(options);
    atEnd(() => server.close());
    return server;
  }

  /** Starts a server that the caller closes. */
  static async open({ config = {}, plugins, data, certificateMs }: TestOptions): Promise<TestServer> {
    const folder = data ?? mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
    const settings = testConfig(folder, config);
    const log = settings.log.level === 'silent' ? createLog('debug', keptLog) : createLog(settings.log.level);
    const hostkeep = await Hostkeep.start(settings, log, {
      checkReplies: true,
      ...(certificateMs && { certificateMs }),
      ...(plugins && { plugins: installed(plugins) }),
    });
    for (const feature of plugins?.flatMap(({ features }) => features) ?? [])
      await hostkeep.core.plans.setFeature('developer', feature, true);
    return new TestServer(hostkeep, folder, data === undefined);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.hostkeep.close();
    if (this.#ownsData) rmSync(this.data, { recursive: true, force: true });
  }

  /** Creates an account with the password `PASSWORD`. */
  async account(username: string, plan = 'developer', role: Role = 'user'): Promise<Account> {
    const { accounts, passwords } = this.hostkeep.core;
    const known = passwordHashes.get(passwords.hash) ?? passwords.hash(PASSWORD);
    passwordHashes.set(passwords.hash, known);
    return accounts.create({ username, role, passwordHash: await known, ...(role === 'user' ? { plan } : {}) });
  }

  /** Opens a session without the cost of a login and returns its token. */
  async token(account: Account): Promise<string> {
    return (await this.hostkeep.core.sessions.open(account, '127.0.0.1', 'test', async () => {})).token;
  }

  /** Creates an account and a token for it. */
  async user(username: string, plan = 'developer'): Promise<Person> {
    return this.as(await this.account(username, plan));
  }

  async admin(username = 'root'): Promise<Person> {
    return this.as(await this.account(username, '', 'admin'));
  }

  /** Opens a session of an account, which asks on the address that is for it. */
  async as(account: Account): Promise<Person> {
    const token = await this.token(account);
    const told = async (part: string) => (await this.hostkeep.core.events.page(account.id, part, 0, 50)).lines;
    return { account, token, told, ...this.with(token, account.role, account.username) };
  }

  /** Returns who asks with a token, or without one. */
  with(token?: string, address: Address = 'user', who = 'somebody'): Asker {
    return asker({
      who,
      send: ({ path, ...request }) => this.ask<unknown>(path, { ...request, address, ...(token && { token }) }),
      lastEvent: () => this.hostkeep.core.events.lastId(),
      eventsAfter: async (id) => (await this.hostkeep.core.events.after(id, 1000)).map(({ type }) => type),
    });
  }

  /** Returns what a plugin's check of its surroundings finds. */
  async health(plugin: string): Promise<readonly Finding[]> {
    const part = (await this.hostkeep.plugins.gather('health')).find((each) => each.plugin === plugin);
    if (part?.ok !== true) throw new Error(`plugin ${plugin} has no check, or it failed: ${String(part?.error)}`);
    return part.value;
  }

  /** Returns what all plugins supply at a point, without those that fail. */
  async gathered<P extends 'doctor' | 'health' | 'metrics'>(point: P): Promise<Supplied<P>[]> {
    const gather = this.hostkeep.plugins.gather as (point: P) => ReturnType<Hostkeep['plugins']['gather']>;
    return (await gather(point)).flatMap((part) => (part.ok ? (part.value as Supplied<P>[]) : []));
  }

  /** Sends a request; follows no redirects. A JSON body is returned parsed, any other as text. Rejects if text is not UTF-8. */
  async ask<T = Record<string, unknown>>(
    path: string,
    { method = 'GET', token, body, headers = {}, address = 'user' }: RequestOptions = {},
  ): Promise<Answer<T>> {
    const reply = await exchange(this.hostkeep.url(address) + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const type = reply.headers.get('content-type') ?? '';
    const text = new TextDecoder('utf-8', { fatal: /json|^text/.test(type) }).decode(reply.bytes);
    const isJson = /json/.test(type) && text !== '';
    return { status: reply.status, headers: reply.headers, body: (isJson ? JSON.parse(text) : text) as T };
  }
}
