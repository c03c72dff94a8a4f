import type { Host } from '../../../kernel/contract/plugin.ts';
import type { SiteLogs } from '../../../kernel/contract/points/web-server-part.ts';
import type { SlowRequest, SlowRequests } from '../../../kernel/areas/sites/slow-requests.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { FollowedLog } from '../../../kernel/kit/files/followed-log.ts';
import type { LiveLogs } from '../live.ts';
import type { ArrivingLogs } from '../site-logs/arriving.ts';
import { parseLine } from '../site-logs/line.ts';
import { keptBy, segmentBytes, trim, type Kept } from '../site-logs/retention.ts';
import { KINDS, type Kind, type SiteFolders } from '../site-logs/segments.ts';
import { SiteWriter } from '../site-logs/writer.ts';
import * as rows from '../store.ts';
import { takeArrived } from './arrivals.ts';
import type { Site, Sites } from './sites.ts';
import { FORMATS } from './log-formats.ts';
import type { SiteLine } from './nginx-lines.ts';

interface CollectorParts {
  readonly files: SiteLogs;
  readonly folders: SiteFolders;
  readonly arriving: ArrivingLogs;
  readonly sites: Sites;
  readonly live: LiveLogs;
  /** Keeps those that take long; absent where nobody does. */
  readonly slowRequests: SlowRequests | undefined;
}
type Services = Pick<Host, 'local' | 'identity' | 'log'>;

/** With what nginx keeps in memory, a line is seen within a second. */
const EVERY_MS = 200;
/** How often what was read is stored; a killed process repeats what it did since, and nothing is there twice. */
const COMMIT_MS = 2000;
const RETRY_MS = 5000;
/** How soon it is seen that an account has come with lines: a command at another node says nothing here. */
const ARRIVALS_MS = 1000;
const TRIM_MS = 3_600_000;
/** Chunks between two commits, while a backlog is read. */
const CHUNKS = 16;
/** Files that are written at a time. */
const WRITES = 8;
/** Slow requests after which is stored what was read, so that no flood of them fills the memory. */
const MOST_SLOW = 1000;
const DAY_MS = 86_400_000;
const TRAFFIC_DAYS = 400;

type OfAccount = Pick<Site, 'accountId'>;
/** The work since the last commit. */
interface Progress {
  readonly followed: Readonly<Record<Kind, FollowedLog>>;
  readonly writer: SiteWriter;
  readonly traffic: Map<string, rows.DayTraffic>;
  slow: SlowRequest[];
  /** Whether anything was read. */
  isAhead: boolean;
}

interface SiteBatch {
  readonly site: Site;
  readonly kind: Kind;
  readonly lines: string[];
}

/** Reads the logs of the web server, and gives each site its lines. */
export class Collector {
  readonly #services: Services;
  readonly #parts: CollectorParts;
  #progress: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #committedAt = 0;
  #trimmedAt = -Infinity;
  #lookedAt = -Infinity;
  /** Why it does not go on; `undefined` while it does. */
  problem: string | undefined;

  constructor(services: Services, parts: CollectorParts) {
    this.#services = services;
    this.#parts = parts;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Stores what was read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (this.#progress === undefined) return;
    await this.#commit(this.#progress).catch((error: unknown) => this.#fail(error));
    await this.#abandon();
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => (this.#running = this.#turn().then((next) => this.#schedule(next))), ms).unref();
  }

  /** Resolves with the time until the next turn. */
  async #turn(): Promise<number> {
    try {
      const progress = (this.#progress ??= await this.#open());
      if (this.#parts.sites.isStale) await this.#refresh(progress);
      await this.#takeArrived(progress);
      const isBehind = await this.#read(progress);
      if (performance.now() - this.#committedAt >= COMMIT_MS || progress.slow.length >= MOST_SLOW)
        await this.#commit(progress);
      if (this.problem !== undefined) this.#services.log.info('the logs of the web server are read again');
      this.problem = undefined;
      return isBehind ? 0 : EVERY_MS;
    } catch (error) {
      this.#fail(error);
      await this.#abandon();
      return RETRY_MS;
    }
  }

  #fail(error: unknown): void {
    const message = errorMessage(error);
    if (message !== this.problem) this.#services.log.error({ err: error }, 'the logs of the web server are not read');
    this.problem = message;
  }

  async #open(): Promise<Progress> {
    const { local } = this.#services;
    const { files, folders } = this.#parts;
    this.#parts.sites.isStale = true;
    const follow = async (kind: Kind) => FollowedLog.open(files[kind], await rows.readPositions(local, kind));
    return {
      followed: { access: await follow('access'), error: await follow('error') },
      writer: new SiteWriter(folders, await rows.readFiles(local)),
      traffic: new Map(),
      slow: [],
      isAhead: false,
    };
  }

  /** Forgets what was not stored, so that it is read again. */
  async #abandon(): Promise<void> {
    const followed = Object.values(this.#progress?.followed ?? {});
    this.#progress = undefined;
    for (const log of followed) await log.close();
  }

  async #read(progress: Progress): Promise<boolean> {
    const { followed, writer } = progress;
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      const text = { access: await followed.access.read(), error: await followed.error.read() };
      if (text.access === '' && text.error === '') return false;
      progress.isAhead = true;
      const format = FORMATS[this.#parts.files.format];
      const [access, error] = [format.access(text.access), format.error(text.error)];
      await this.#parts.sites.learn([...access, ...error]);
      await this.#takeArrived(progress);
      const batches = new Map<string, SiteBatch>();
      this.#sort(batches, 'access', access, progress);
      this.#sort(batches, 'error', error, progress);
      const all = [...batches.values()];
      for (let i = 0; i < all.length; i += WRITES)
        await settleAll(all.slice(i, i + WRITES).map((each) => writer.append(each.site, each.kind, each.lines)));
      for (const { site, kind, lines } of all)
        if (this.#parts.live.isWatched(site.domainId, kind)) this.#parts.live.publish(site.domainId, kind, lines);
    }
    return true;
  }

  #sort(batches: Map<string, SiteBatch>, kind: Kind, lines: readonly SiteLine[], { traffic, slow }: Progress): void {
    const slowMs = this.#parts.slowRequests?.fromMs ?? Infinity;
    for (const each of lines) {
      const site = this.#parts.sites.find(each);
      if (site === undefined) continue;
      const key = `${site.domainId} ${kind}`;
      let batch = batches.get(key);
      if (batch === undefined) batches.set(key, (batch = { site, kind, lines: [] }));
      batch.lines.push(each.line);
      if (kind === 'access') count(traffic, site, each);
      if (each.tookMs >= slowMs) slow.push(...slowRequest(site, each));
    }
  }

  async #commit(progress: Progress): Promise<void> {
    const { followed, writer, traffic } = progress;
    this.#committedAt = performance.now();
    const changed = writer.takeChanged();
    if (progress.isAhead) {
      await this.#services.local.write(async (tx) => {
        for (const kind of KINDS) await rows.writePositions(tx, kind, followed[kind].positions);
        for (const file of changed) await rows.writeFile(tx, file);
        const isKept = await this.#keptAccounts([...traffic.values(), ...progress.slow]);
        for (const each of [...traffic.values()].filter(isKept)) await rows.addTraffic(tx, each);
        const slow = progress.slow.filter(isKept);
        if (slow.length > 0) await this.#parts.slowRequests?.keep(tx, slow);
      });
      traffic.clear();
      progress.slow = [];
      progress.isAhead = false;
    }
    const kept = await this.#keptOf(changed.map(({ accountId }) => accountId));
    const ended = writer.rotate(changed, (accountId) => segmentBytes(kept.get(accountId) ?? keptBy(undefined)));
    for (const { domainId, accountId } of ended)
      await trim(this.#parts.folders, domainId, kept.get(accountId) ?? keptBy(undefined));
    if (performance.now() - this.#trimmedAt >= TRIM_MS) await this.#trimAll();
  }

  /** Resolves with what tells those of accounts that are there: what is of a removed one, nothing would remove any more. */
  async #keptAccounts(all: readonly OfAccount[]): Promise<(each: OfAccount) => boolean> {
    const there = new Set<number>();
    for (const id of new Set(all.map(({ accountId }) => accountId)))
      if ((await this.#services.identity.accounts.byId(id)) !== undefined) there.add(id);
    return ({ accountId }) => there.has(accountId);
  }

  async #trimAll(): Promise<void> {
    this.#trimmedAt = performance.now();
    const files = await rows.readFiles(this.#services.local);
    const kept = await this.#keptOf(files.map(({ accountId }) => accountId));
    for (const { domainId, accountId, kind } of files)
      if (kind === 'access') await trim(this.#parts.folders, domainId, kept.get(accountId) ?? keptBy(undefined));
    const before = new Date(Date.now() - TRAFFIC_DAYS * DAY_MS).toISOString().slice(0, 10);
    await this.#services.local.write((tx) => rows.expireTraffic(tx, before));
  }

  async #keptOf(accountIds: readonly number[]): Promise<Map<number, Kept>> {
    const { accounts } = this.#services.identity;
    const kept = new Map<number, Kept>();
    for (const id of new Set(accountIds)) kept.set(id, keptBy(await accounts.byId(id)));
    return kept;
  }

  async #takeArrived({ writer }: Progress): Promise<void> {
    const { sites } = this.#parts;
    if (!sites.hasChanged && performance.now() - this.#lookedAt < ARRIVALS_MS) return;
    await takeArrived({ ...this.#parts, services: this.#services }, writer);
    sites.hasChanged = false;
    this.#lookedAt = performance.now();
  }

  /** Reads the domains again, and removes the logs of those that are gone. */
  async #refresh({ writer }: Progress): Promise<void> {
    const { sites, folders } = this.#parts;
    await sites.refresh();
    const { ids } = sites;
    const stored = (await rows.readFiles(this.#services.local)).map(({ domainId }) => domainId);
    for (const id of new Set([...stored, ...(await folders.ids())])) {
      if (ids.has(id)) continue;
      writer.forget(id, KINDS);
      await this.#services.local.write((tx) => rows.forgetDomain(tx, id));
      await folders.remove(id);
    }
  }
}

function count(traffic: Progress['traffic'], { accountId, domainId }: Site, { at, bytes }: SiteLine): void {
  const day = new Date(at).toISOString().slice(0, 10);
  const key = `${domainId} ${day}`;
  let sum = traffic.get(key);
  if (sum === undefined) traffic.set(key, (sum = { accountId, domainId, day, requests: 0, bytes: 0 }));
  sum.requests += 1;
  sum.bytes += bytes;
}

/** Returns a request by its line; none where that names no method and path. */
function slowRequest({ accountId, domainId }: Site, { at, tookMs, line }: SiteLine): SlowRequest[] {
  const { method, path, status } = parseLine('access', line);
  if (method === null || path === null || status === null) return [];
  return [{ accountId, domainId, at: Math.round(at), tookMs, method, path, status }];
}

/** Rejects with the first failure, once nothing is being written any more. */
async function settleAll(writes: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason;
}
