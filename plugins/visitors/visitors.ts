import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { LoggedRequests, RequestLogs } from '../../kernel/areas/sites/request-logs.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { writeNestedBase } from '../../kernel/kit/net/country-base.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Log } from '../../kernel/log.ts';
import { fail } from './errors.ts';
import { NOBODY, readReport } from './report.ts';
import type { Visitors, VisitorsConfig } from './schema.ts';

const HOUR_MS = 3_600_000;
/** Of the newest lines, so that the time is bounded. */
const MOST_BYTES = 128 << 20;
const REPORT_BYTES = 8 << 20;
const FRESH_MS = 60_000;
const CACHED = 500;
const SKIPPED_PANELS = [
  'OS',
  'BROWSERS',
  'HOSTS',
  'KEYPHRASES',
  'REFERRERS',
  'VISIT_TIMES',
  'VIRTUAL_HOSTS',
  'REMOTE_USER',
];
const READING = ['-', '--log-format=COMBINED', '--output=json', '--no-global-config'];
/** goaccess parses what visitors wrote. */
const LIMITS = { dataBytes: 1 << 30, openFiles: 64, fileBytes: 0 };

/** Counts the visitors of sites with goaccess: without a network, twice at a time. */
export class VisitorCounts {
  readonly #config: VisitorsConfig;
  readonly #log: Log;
  /** Of the base of countries. */
  readonly #folder: string;
  readonly #logs: RequestLogs;
  readonly #queue = new FairQueue({ slots: 2, perClient: 1, waiting: 8, waitingOfAll: 64 });
  #base: Promise<string> | undefined;
  readonly #cache = new LRUCache<string, Promise<Visitors>>({ ...atMost(CACHED), ttl: FRESH_MS });

  constructor({ config, log, node }: Pick<Host<VisitorsConfig>, 'config' | 'log' | 'node'>, logs: RequestLogs) {
    this.#config = config;
    this.#log = log;
    this.#logs = logs;
    this.#folder = join(node.config.data, 'visitors');
  }

  /** Errors: 503 `visitors_unavailable`, `overloaded`. */
  read(account: Account, site: { readonly id: number; readonly name: string }, days: number): Promise<Visitors> {
    if (this.#config.goaccess === '') throw fail.visitors_unavailable('visitors.goaccess names no program');
    const key = `${site.id} ${days}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const counted = this.#queue.run(account.id, () => this.#count(site, days));
    this.#cache.set(key, counted);
    counted.catch(() => this.#cache.delete(key)); // the caller gets the error, the next one tries again
    return counted;
  }

  /** Resolves with the version of goaccess; rejects if it does not run, or cannot use the base of countries. */
  async version(): Promise<string> {
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runProgram(this.#config.goaccess, args, { timeoutMs: 5000 });
      if (code !== 0) throw new Error(`goaccess ${args.join(' ')}: ${stderr.trim() || `ended with ${code}`}`);
      return stdout;
    };
    await run(...READING, ...withCountries(await this.#countries()));
    return ((await run('--version')).split('\n')[0] ?? '').trim();
  }

  /** Resolves with the path of a base that goaccess reads; `''` if there is none. */
  #countries(): Promise<string> {
    if (this.#config.geoip_database !== '') return Promise.resolve(this.#config.geoip_database);
    return (this.#base ??= writeNestedBase(this.#folder).catch((error: unknown) => {
      this.#base = undefined; // the next count tries again
      this.#log.error({ err: error }, 'cannot write the base of countries; visitors are counted without');
      return '';
    }));
  }

  async #count({ id, name }: { readonly id: number; readonly name: string }, days: number): Promise<Visitors> {
    const { timeout_ms: timeoutMs, goaccess } = this.#config;
    const now = Date.now();
    const since = now - days * 24 * HOUR_MS;
    const requests = await this.#logs.since(id, since, MOST_BYTES);
    const facts = {
      domain_url: name,
      since: new Date(since).toISOString(),
      counted_at: new Date(now).toISOString(),
      truncated: requests.isTruncated,
    };
    if (requests.files.length === 0) return { ...facts, ...NOBODY };
    const base = await this.#countries();
    const args = [
      ...[...READING, ...withCountries(base), '--no-query-string'],
      ...['--max-items=50', '--444-as-404', '--4xx-to-unique-count', `--date-spec=${days === 1 ? 'hr' : 'date'}`],
      // a page is one row, however it was asked for
      ...['--http-method=no', '--http-protocol=no'],
      // visitors come to a page of a site from its other pages
      ...[name, `www.${name}`].map((own) => `--hide-referrer=${own}`),
      ...SKIPPED_PANELS.map((panel) => `--ignore-panel=${panel}`),
    ];
    try {
      const { code, endedBy, stdout, stderr } = await runProgram(goaccess, args, {
        timeoutMs,
        stdoutBytes: REPORT_BYTES,
        limits: { ...LIMITS, cpuSeconds: Math.ceil(timeoutMs / 1000) },
        isOffline: true,
        input: Readable.from(bytes(requests)),
      });
      if (code !== 0) throw new Error(`${goaccess} ended with ${endedBy ?? code}: ${stderr.trim()}`);
      return { ...facts, ...readReport(stdout, base !== '') };
    } catch (cause) {
      throw fail.visitors_unavailable('the log of the server says why', { cause });
    }
  }
}

const withCountries = (base: string): string[] => (base === '' ? [] : [`--geoip-database=${base}`]);

async function* bytes({ files }: LoggedRequests): AsyncGenerator<Buffer> {
  for (const { path, from, to } of files)
    if (from < to) yield* createReadStream(path, { start: from, end: to - 1 }) as AsyncIterable<Buffer>;
}
