import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request, Agent } from 'node:http';
import { dirname, join } from 'node:path';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import type { Abuse } from './abuses.ts';
import { NEIGHBOURS_ADDRESS } from './observer.ts';

export interface Neighbour {
  readonly username: string;
  readonly token: string;
}
interface Request {
  readonly method?: string;
  readonly body?: unknown;
  readonly address?: Address;
}

const SETTINGS = {
  plugins: { webserver: false, screenshots: false, containers: false },
  trusted_proxies: ['127.0.0.1'],
  usage: { access: 'feature' },
  log: { level: 'info' },
};
const SITE_FILES = {
  'victim.example/wp-config.php': "<?php define('DB_NAME', 'shop'); define('DB_USER', 'me'); define('DB_HOST', 'db');",
  'victim.example/wp-settings.php': '<?php',
  'victim.example/wp-includes/version.php': "<?php $wp_version = '6.6';",
  'photos/summer.jpg': '',
};

/** A node with a hostile customer, a neighbour who uses it as people do, and an administrator. */
export class Estate {
  readonly node: NodeProcess;
  readonly villain: Neighbour;
  readonly victim: Neighbour;
  readonly admin: Neighbour;
  readonly password = PASSWORD;
  /** Statuses of 500 and 502 to 599 besides 503 that anybody received, with their requests. */
  readonly failures: string[] = [];
  /** Requests of the hostile customer that were answered, by status. */
  readonly answers = new Map<number, number>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });

  private constructor(node: NodeProcess, [villain = '', victim = '', admin = '']: readonly string[]) {
    this.node = node;
    this.villain = { username: 'villain', token: villain };
    this.victim = { username: 'victim', token: victim };
    this.admin = { username: 'root', token: admin };
  }

  /** Starts a node on which the abuse is prepared. */
  static async start(abuse: Abuse, share: number): Promise<Estate> {
    const data = join(temporaryFolder(), 'data');
    const files = join(data, 'files');
    await prepare(data, { villain: 'user', victim: 'user', root: 'admin' });
    for (const [path, text] of Object.entries(SITE_FILES)) {
      mkdirSync(dirname(join(files, 'victim', path)), { recursive: true });
      writeFileSync(join(files, 'victim', path), text);
    }
    mkdirSync(join(files, 'villain'), { recursive: true });
    abuse.prepare?.(join(files, 'villain'), share);
    const node = await NodeProcess.start(data, { config: SETTINGS });
    try {
      const tokens = [];
      for (const name of ['villain', 'victim', 'root'])
        tokens.push(await node.login(name, PASSWORD, name === 'root' ? 'admin' : 'user'));
      const estate = new Estate(node, tokens);
      for (const who of [estate.villain, estate.victim])
        await estate.ask(who, '/api/domains/new', {
          method: 'POST',
          body: { domain_url: `${who.username}.example` },
        });
      // the networks from which they log in are known before it begins
      await estate.login('victim', PASSWORD, NEIGHBOURS_ADDRESS);
      estate.#agent.destroy(); // the server ends idle connections, perhaps as the abuse begins to use them again
      return estate;
    } catch (error) {
      await node.end('SIGKILL');
      throw error;
    }
  }

  /** Resident memory of the process that serves everybody. */
  get memoryBytes(): number {
    return this.node.memoryBytes;
  }

  /** Resident memory of the largest process that it started. */
  get largestWorkerBytes(): number {
    const children = readFileSync(`/proc/${this.node.pid}/task/${this.node.pid}/children`, 'utf8').trim().split(' ');
    return Math.max(0, ...children.map(residentBytes));
  }

  login(username: string, password: string, from: string, signal?: AbortSignal): Promise<number> {
    const body = JSON.stringify({ username, password });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
    return this.#send(`${this.node.url()}/api/login`, 'POST', headers, body, signal);
  }

  /** Resolves with the status; 0 when the signal aborted the request. */
  ask(
    who: Neighbour,
    path: string,
    { method = 'GET', body, address = 'user' }: Request = {},
    signal?: AbortSignal,
  ): Promise<number> {
    const headers = {
      authorization: `Bearer ${who.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return this.#send(
      this.node.url(address) + path,
      method,
      headers,
      body === undefined ? '' : JSON.stringify(body),
      signal,
    );
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.node.end('SIGTERM');
  }

  #send(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<number> {
    return new Promise((resolve) => {
      const options = { method, headers, agent: this.#agent, ...(signal !== undefined && { signal }) };
      const sent = request(url, options, (response) => {
        const { statusCode = 0 } = response;
        this.answers.set(statusCode, (this.answers.get(statusCode) ?? 0) + 1);
        if (statusCode >= 500 && statusCode !== 503) this.failures.push(`${statusCode} ${method} ${url}`);
        response.resume().once('close', () => resolve(statusCode));
      });
      sent.once('error', (error) => {
        if (signal?.aborted !== true) this.failures.push(`${error.message}: ${method} ${url}`);
        resolve(0);
      });
      sent.end(body);
    });
  }
}

function residentBytes(pid: string): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has ended
  }
}
