import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { fail } from './errors.ts';
import { NOBODY, readReport } from './visitors-report.ts';
import type { LogsConfig, Visitors } from './schema.ts';
import { parseLine } from './site-logs/line.ts';
import { reading, type Segment, type SiteFolders } from './site-logs/segments.ts';

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
/** goaccess parses what visitors wrote. */
const LIMITS = { dataBytes: 1 << 30, openFiles: 64, fileBytes: 0 };

/** Where the lines of a period begin. */
interface Begin {
  readonly files: readonly { readonly path: string; readonly from: number; readonly to: number }[];
  readonly isTruncated: boolean;
}

/** Counts the visitors of sites with goaccess. */
export class VisitorCounts {
  readonly #config: LogsConfig;
  readonly #folders: SiteFolders;
  readonly #queue = new FairQueue({ slots: 2, perClient: 1, waiting: 8, waitingOfAll: 64 });
  readonly #cache = new LRUCache<string, Promise<Visitors>>({ ...atMost(CACHED), ttl: FRESH_MS });

  constructor(config: LogsConfig, folders: SiteFolders) {
    this.#config = config;
    this.#folders = folders;
  }

  /** Errors: 503 `visitors_unavailable`, `overloaded`. */
  read(account: Account, site: { readonly id: number; readonly name: string }, days: number): Promise<Visitors> {
    if (this.#config.goaccess === '') throw fail.visitors_unavailable('logs.goaccess names no program');
    const key = `${site.id} ${days}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const counted = this.#queue.run(account.id, () => this.#count(site, days));
    this.#cache.set(key, counted);
    counted.catch(() => this.#cache.delete(key)); // the caller gets the error, the next one tries again
    return counted;
  }

  /** Resolves with the version of goaccess; rejects if it does not run. */
  async version(): Promise<string> {
    const { code, stdout, stderr } = await runProgram(this.#config.goaccess, ['--version'], { timeoutMs: 5000 });
    if (code !== 0) throw new Error(`${this.#config.goaccess} --version: ${stderr.trim() || `ended with ${code}`}`);
    return (stdout.split('\n')[0] ?? '').trim();
  }

  async #count({ id, name }: { readonly id: number; readonly name: string }, days: number): Promise<Visitors> {
    const { geoip_database: base, visitors_timeout_ms: timeoutMs, goaccess } = this.#config;
    const now = Date.now();
    const since = now - days * 24 * HOUR_MS;
    const { files, isTruncated } = await begin(await this.#folders.segments(id, 'access'), since);
    const facts = {
      domain_url: name,
      since: new Date(since).toISOString(),
      counted_at: new Date(now).toISOString(),
      truncated: isTruncated,
    };
    const args = [
      ...['-', '--log-format=COMBINED', '--output=json', '--no-global-config', '--no-query-string'],
      ...['--max-items=50', '--444-as-404', '--4xx-to-unique-count', `--date-spec=${days === 1 ? 'hr' : 'date'}`],
      // a page is one row, however it was asked for
      ...['--http-method=no', '--http-protocol=no'],
      // visitors come to a page of a site from its other pages
      ...[name, `www.${name}`].map((own) => `--hide-referrer=${own}`),
      ...SKIPPED_PANELS.map((panel) => `--ignore-panel=${panel}`),
      ...(base === '' ? [] : [`--geoip-database=${base}`]),
    ];
    if (files.length === 0) return { ...facts, ...NOBODY };
    try {
      const { code, endedBy, stdout, stderr } = await runProgram(goaccess, args, {
        timeoutMs,
        stdoutBytes: REPORT_BYTES,
        limits: { ...LIMITS, cpuSeconds: Math.ceil(timeoutMs / 1000) },
        isOffline: true,
        input: Readable.from(bytes(files)),
      });
      if (code !== 0) throw new Error(`${goaccess} ended with ${endedBy ?? code}: ${stderr.trim()}`);
      return { ...facts, ...readReport(stdout, base !== '') };
    } catch (cause) {
      throw fail.visitors_unavailable(`the visitors could not be counted: ${errorMessage(cause)}`, { cause });
    }
  }
}

async function* bytes(files: Begin['files']): AsyncGenerator<Buffer> {
  for (const { path, from, to } of files)
    if (from < to) yield* createReadStream(path, { start: from, end: to - 1 }) as AsyncIterable<Buffer>;
}

/** Finds where the lines since a time begin, of which only the newest are taken where there are too many. */
async function begin(segments: readonly Segment[], since: number): Promise<Begin> {
  const files: { path: string; from: number; to: number }[] = [];
  let left = MOST_BYTES;
  for (const { path, sizeBytes: to, changedAt } of segments.toReversed()) {
    if (changedAt < since || left <= 0) break;
    const from = (await reading(path, (read) => offsetSince(read, to, since))) ?? to;
    const taken = Math.max(from, to - left);
    files.unshift({ path, from: taken, to });
    left -= to - taken;
    if (from > 0) return { files, isTruncated: taken > from };
  }
  return { files, isTruncated: left <= 0 };
}

/** Searches a file of lines in the order of their times for the first one since a time, and resolves with where it begins. */
async function offsetSince(
  read: (buffer: Buffer, sizeBytes: number, position: number) => Promise<number>,
  sizeBytes: number,
  since: number,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(64 << 10);
  let [low, high] = [0, sizeBytes];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = Math.max(0, middle - 1); // from a line break on, a line begins
    const text = buffer.toString('latin1', 0, await read(buffer, Math.min(buffer.length, sizeBytes - start), start));
    const skipped = middle === 0 ? 0 : text.indexOf('\n') + 1;
    const end = text.indexOf('\n', skipped);
    if ((middle > 0 && skipped === 0) || end < 0) {
      high = middle;
      continue;
    }
    const { at } = parseLine('access', text.slice(skipped, end));
    if (at !== null && Date.parse(at) < since) low = start + end + 1;
    else high = middle;
  }
  return low;
}
