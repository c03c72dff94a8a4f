import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openCore, type Core } from '../../../kernel/run/core.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { start } from '../../support/command.ts';
import { fakeEngine, type Answers, type FakeEngine } from '../../support/fake-engine.ts';
import { testConfig } from '../../support/hostkeep.ts';
import { testStore } from '../../support/postgres.ts';
import { RawClient } from './raw-client.ts';

/** Limits so high that the password throttle masks nothing else. */
export const OPEN_THROTTLE = {
  login: {
    account_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
    address_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
  },
};

/** The fake engine runs in the busy process of the attack. */
const ENGINE_MS = 10_000;
/** The socket of the fake engine. */
export const engineIn = (folder: string): string => join(folder, 'engine.sock');

/** Of a text that no file has. */
const SIGNATURE = `Attack.Text:0:*:${Buffer.from('no file has this text').toString('hex')}\n`;
/** Keeps the host out: no web server, databases as files, screenshots from a remote service. Writes a signature into the folder. */
export function settingsIn(folder: string) {
  writeFileSync(join(folder, 'attack.ndb'), SIGNATURE);
  return {
    containers: { socket: engineIn(folder), timeout_ms: ENGINE_MS },
    // nothing answers there, which is an answer too
    webhooks: {
      endpoints: [{ url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` }],
      allow_private: true,
      allow_console: true,
      timeout_ms: 500,
      backlog: 100,
    },
    usage: { access: 'feature', interval_ms: 100 },
    screenshots: { remote_url: 'https://screenshots.example/{domain}?{url}' },
    settings: { editable: ['admin_cors_origins', 'cors_origins'] },
    plugins: { webserver: false },
    databases: { servers: { unused: { socket: join(folder, 'no-database.sock') } } },
    malware: { signatures: folder },
    log: { level: 'warn' },
  };
}
const STOP_MS = 20_000;
/** The standard error and the channel of a process of jobs. */
const PIPES_OF_A_JOB = 2;

const HEAP_REPORT = new URL('../../support/heap-report.js', import.meta.url).href;

/** Resources that the process holds. */
export interface Vitals {
  readonly residentBytes: number;
  /** Without those that lead to processes of jobs, which stay for a while after their last job. */
  readonly descriptors: number;
}

/** A server under attack, and its store. */
export interface Target {
  readonly core: Core;
  readonly clients: Readonly<Record<Address, RawClient>>;
  /** Returns why the server is unhealthy, if it is. */
  failure(): string | undefined;
  stop(): Promise<void>;
}

/** `hostkeep demo` in a separate process on an empty data folder; its store is also open here, as for a CLI command. */
export class TargetServer implements Target {
  readonly data: string;
  readonly core: Core;
  clients: Readonly<Record<Address, RawClient>>;
  #running: Awaited<ReturnType<typeof start>>;
  readonly #engine: FakeEngine;
  readonly #folder: string;
  readonly #forbidden: readonly string[];
  /** Length of the output that `failure` has examined. */
  #readChars = 0;
  #heapReports = 0;

  private constructor(
    folder: string,
    data: string,
    core: Core,
    running: Awaited<ReturnType<typeof start>>,
    engine: FakeEngine,
  ) {
    this.#folder = folder;
    this.data = data;
    this.core = core;
    this.#running = running;
    this.#engine = engine;
    const { base_url: user, admin_url: admin } = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')) as {
      base_url: string;
      admin_url: string;
    };
    this.clients = { user: new RawClient(user), admin: new RawClient(admin) };
    process.on('exit', this.#abandon);
    this.#forbidden = [
      data,
      ...[...readFileSync(join(data, 'keys.json'), 'utf8').matchAll(/[\w-]{40,}/g)].map(([key]) => key),
    ];
  }

  /** `settings` override those of every attack; `engine` handles requests to the container engine. */
  static async start(settings: Record<string, unknown>, engine: Answers): Promise<TargetServer> {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-attack-'));
    const data = join(folder, 'node');
    const config = join(folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        ...settingsIn(folder),
        ...testStore(data),
        ...settings,
      }),
    );
    const open = await fakeEngine(engineIn(folder), engine);
    const running = await start(data, ['--config', config, 'demo'], /Ctrl-C stops it/, {
      NODE_OPTIONS: `--import=${HEAP_REPORT}`,
    });
    const core = await openCore(testConfig(data), createLog('error'));
    return new TargetServer(folder, data, core, running, open);
  }

  /** Texts that no response may contain: keys, and the path of the data folder. */
  get forbidden(): readonly string[] {
    return this.#forbidden;
  }

  get vitals(): Vitals {
    const { pid = 0 } = this.#running.child;
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    const jobs = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').length - 1; // each ends with a space
    const descriptors = readdirSync(`/proc/${pid}/fd`).length - jobs * PIPES_OF_A_JOB;
    return { residentBytes: Number(resident) * 1024, descriptors };
  }

  /** Returns the bytes in use after garbage collection. */
  async heapBytes(): Promise<number> {
    this.#running.child.kill('SIGUSR2');
    const [, bytes] = await this.#running.line(
      new RegExp(`^heap report ${(this.#heapReports += 1)}: (\\d+) bytes$`, 'm'),
    );
    return Number(bytes);
  }

  /** Returns why the server is unhealthy: it exited, or logged an error since the last call. */
  failure(): string | undefined {
    const { child, output } = this.#running;
    if (child.exitCode !== null || child.signalCode !== null)
      return `the server exited with ${child.exitCode ?? child.signalCode}: ${output().slice(-2000)}`;
    const news = output().slice(this.#readChars);
    this.#readChars += news.lastIndexOf('\n') + 1;
    return /^\{"level":"(?:error|fatal)".*$/m.exec(news)?.[0];
  }

  /** Returns the lowest vitals within `limitMs`. */
  async settledVitals(limitMs: number): Promise<Vitals> {
    for (const client of Object.values(this.clients)) client.close();
    let best = this.vitals;
    for (const end = performance.now() + limitMs; performance.now() < end; await delay(500)) {
      const now = this.vitals;
      best = {
        residentBytes: Math.min(best.residentBytes, now.residentBytes),
        descriptors: Math.min(best.descriptors, now.descriptors),
      };
    }
    return best;
  }

  /** Returns the lowest resident memory while `work` runs, which is what remains after garbage collection. */
  async lowestMemory(everyMs: number, work: Promise<unknown>): Promise<number> {
    let lowest = this.vitals.residentBytes;
    const timer = setInterval(() => {
      if (this.#running.child.exitCode === null) lowest = Math.min(lowest, this.vitals.residentBytes);
    }, everyMs);
    await work.finally(() => clearInterval(timer));
    return lowest;
  }

  /** Kills the process and starts another on the same data. */
  async crash(): Promise<void> {
    const { child } = this.#running;
    for (const client of Object.values(this.clients)) client.close();
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const config = join(this.#folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ ...(JSON.parse(readFileSync(config, 'utf8')) as object), log: { level: 'info' } }),
    );
    this.#readChars = 0;
    this.#running = await start(this.data, ['--config', config, 'serve', '--workers', '1'], /"msg":"listening"/);
    const [, user = '', admin = ''] = await this.#running.line(/"base_url":"([^"]+)","admin_url":"([^"]+)"/);
    this.clients = { user: new RawClient(user), admin: new RawClient(admin) };
  }

  async stop(): Promise<void> {
    const { child } = this.#running;
    for (const client of Object.values(this.clients)) client.close();
    await this.core.close();
    if (child.exitCode === null && child.signalCode === null) {
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.kill('SIGTERM');
      await once(child, 'exit');
      clearTimeout(limit);
    }
    await this.#engine.close();
    process.off('exit', this.#abandon);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Cleans up when the attack is interrupted. */
  readonly #abandon = (): void => {
    this.#running.child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };
}
