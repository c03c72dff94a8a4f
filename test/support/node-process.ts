import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { Role } from '../../kernel/identity/accounts/account.ts';
import { openCore } from '../../kernel/run/core.ts';
import { createLog } from '../../kernel/log.ts';
import { installedPlugins } from '../../kernel/host/discovery.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { endsWithTests, untilRead } from './child.ts';
import { CLI } from './command.ts';
import { exchange } from './exchange.ts';
import { temporaryFolder } from './folder.ts';
import { FILES_ROOT, PASSWORD, testConfig } from './hostkeep.ts';
import { testStore } from './postgres.ts';
import { LIMIT_MS } from './until.ts';

export interface Reply<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
}

export interface NodeOptions {
  /** Settings that override the defaults. */
  readonly config?: Record<string, unknown>;
  /** A program and its arguments that start the node, such as `setpriv`. */
  readonly through?: readonly string[];
  /** A module to preload, which receives the messages of `tell`. */
  readonly inside?: string;
  /** The program, if it is another one. */
  readonly cli?: string;
  /** The URL of the store, if it is not that of the folder's own. */
  readonly storeUrl?: string;
  /** How many processes serve; one, without a supervisor, unless given; `by cores` leaves it to the program. */
  readonly workers?: number | 'by cores';
}

/** Returns settings with which only these plugins are on: the others take half the time of a start. */
export function onlyPlugins(...names: readonly string[]): { readonly plugins: Readonly<Record<string, boolean>> } {
  return { plugins: Object.fromEntries(installedPlugins().map(({ name }) => [name, names.includes(name)])) };
}

/** Characters of output that are kept. */
const OUTPUT_KEPT = 4_000_000;

let settingsPath: string | undefined;
let spawned = 0;

/** Returns a folder that every user can read. */
function settingsFolder(): string {
  if (settingsPath === undefined) {
    settingsPath = temporaryFolder();
    chmodSync(settingsPath, 0o755);
  }
  return settingsPath;
}

/** `hostkeep serve` in a separate process, which can be killed, starved and restarted on the same data. */
export class NodeProcess {
  /** The file with its configuration. */
  readonly settings: string;
  readonly child: ChildProcess;
  readonly #output: { text: string };
  #urls: Readonly<Record<Address, string>> | undefined;

  private constructor(settings: string, child: ChildProcess) {
    this.settings = settings;
    this.child = endsWithTests(child);
    this.#output = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream?.on(
        'data',
        (chunk: Buffer) => (this.#output.text = (this.#output.text + chunk.toString()).slice(-OUTPUT_KEPT)),
      );
  }

  /** Starts a node without waiting for it. */
  static spawn(
    data: string,
    { config = {}, through = [], inside, cli = CLI, storeUrl, workers = 1 }: NodeOptions = {},
  ): NodeProcess {
    const settings = join(settingsFolder(), `${(spawned += 1)}.json`);
    writeFileSync(settings, JSON.stringify({ files_root: FILES_ROOT, ...config }));
    const [program = '', ...args] = [
      ...through,
      process.execPath,
      ...(inside === undefined ? [] : ['--import', inside]),
      cli,
      '--config',
      settings,
      'serve',
      ...(workers === 'by cores' ? [] : ['--workers', `${workers}`]),
    ];
    const env = {
      ...process.env,
      HOSTKEEP_DATA: data,
      HOSTKEEP_LISTEN: '127.0.0.1:0',
      HOSTKEEP_ADMIN_LISTEN: '127.0.0.1:0',
      HOSTKEEP_STORE_URL: storeUrl ?? testStore(data).store?.url,
    };
    return new NodeProcess(
      settings,
      spawn(program, args, {
        env,
        stdio: ['ignore', 'pipe', 'pipe', ...(inside === undefined ? [] : ['ipc' as const])],
      }),
    );
  }

  /** Starts a node and waits until both addresses listen. Rejects with its output if it exits first. */
  static async start(data: string, options: NodeOptions = {}): Promise<NodeProcess> {
    const node = NodeProcess.spawn(data, options);
    await node.listening();
    return node;
  }

  /** Waits until both addresses listen. Rejects with the node's output if it exits first. */
  async listening(): Promise<void> {
    const [line] = await this.line(/^\{.*"msg":"listening".*\}$/m);
    const { base_url, admin_url } = JSON.parse(line ?? '') as { base_url: string; admin_url: string };
    this.#urls = { user: base_url, admin: admin_url };
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get output(): string {
    return this.#output.text;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The ids of its workers, in the order of their starts. */
  get children(): number[] {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  }

  /** The worker that leads; a file of another test, on another file system, may have the number of its lock. */
  leaderOf(data: string): number | undefined {
    const { ino } = statSync(join(data, 'leader.lock'));
    const held = new RegExp(` WRITE (\\d+) \\w+:\\w+:${ino} `, 'g');
    const holders = [...readFileSync('/proc/locks', 'utf8').matchAll(held)].map(([, pid]) => Number(pid));
    return holders.find((pid) => this.children.includes(pid));
  }

  url(address: Address = 'user'): string {
    return this.#urls?.[address] ?? '';
  }

  /** Waits for matching output. Rejects with what there is if the node ends, or says nothing like it. */
  async line(pattern: RegExp): Promise<RegExpMatchArray> {
    return this.#within(`it said nothing like ${pattern}`, this.#line(pattern));
  }

  #within<T>(problem: string, event: Promise<T>): Promise<T> {
    const late = () => new Error(`${problem} within ${LIMIT_MS / 1000} s: ${this.output.slice(-2000)}`);
    return withDeadline(event, LIMIT_MS, late);
  }

  async #line(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const hasEnded = !this.isAlive;
      if (hasEnded) await untilRead(() => this.output);
      const match = this.output.match(pattern);
      if (match !== null) return match;
      if (hasEnded)
        throw new Error(
          `the node exited with ${this.child.exitCode ?? this.child.signalCode}: ${this.output.slice(-2000)}`,
        );
      await Promise.race(
        [this.child.stdout, this.child.stderr, this.child].map((each) =>
          each === null ? new Promise(() => {}) : once(each, each === this.child ? 'exit' : 'data'),
        ),
      );
    }
  }

  /** Sends a request. Rejects if the connection breaks before the reply is complete. */
  async ask<T = Record<string, unknown>>(
    path: string,
    {
      method = 'GET',
      token = '',
      body,
      address = 'user',
    }: { method?: string; token?: string; body?: unknown; address?: Address } = {},
  ): Promise<Reply<T>> {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const reply = await exchange(this.url(address) + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = reply.bytes.toString();
    return {
      status: reply.status,
      body: (/json/.test(reply.headers.get('content-type') ?? '') ? JSON.parse(text) : text) as T,
    };
  }

  async login(username: string, password = PASSWORD, address: Address = 'user', code?: string): Promise<string> {
    const { status, body } = await this.ask('/api/login', {
      method: 'POST',
      body: { username, password, ...(code !== undefined && { twofa_code: code }) },
      address,
    });
    if (status !== 200) throw new Error(`${username} cannot log in: ${status} ${JSON.stringify(body)}`);
    return String(body['token']);
  }

  /** Sends a message to the preloaded module and waits for its reply. */
  async tell(message: Record<string, unknown>): Promise<unknown> {
    const answer = once(this.child, 'message');
    this.child.send(message);
    return (await answer)[0];
  }

  /** Resident memory in bytes. */
  get memoryBytes(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) * 1024;
  }

  get descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Ends the node and returns its exit code, or the signal that ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    const ended = this.ended();
    if (this.isAlive) this.child.kill(signal);
    return ended;
  }

  /** Waits until the node exits by itself; its output is complete then. */
  async ended(): Promise<number | string> {
    if (this.isAlive) await this.#within('it does not end', once(this.child, 'exit'));
    await untilRead(() => this.output);
    return this.child.exitCode ?? this.child.signalCode ?? -1;
  }
}

/** Creates accounts with the password `PASSWORD` in a data folder that no node serves yet. */
export async function prepare(
  data: string,
  people: Readonly<Record<string, Role>>,
  config: Record<string, unknown> = {},
): Promise<void> {
  const core = await openCore(testConfig(data, config), createLog('silent'));
  try {
    const passwordHash = await core.passwords.hash(PASSWORD);
    for (const [username, role] of Object.entries(people))
      await core.accounts.create({ username, role, passwordHash, ...(role === 'user' && { plan: 'developer' }) });
  } finally {
    await core.close();
  }
}
