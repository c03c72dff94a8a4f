import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { GroupFigures } from '../groups.ts';
import { planLimits } from '../limits.ts';
import { keepHits, readHits, type Hits, type LimitedResource } from '../store.ts';

/** How long an account is not told again of the same limit. */
const REST_MS = 3_600_000;
/** Percent of the time in which processes had to wait for the processor, from which on the account is told. */
const MUCH_WAITING = 50;
const PERIOD_MS = 100;
/** Percent of its limit of traffic with the disk, from which on the account is told: the kernel does not count who waits for that. */
const MUCH_TRAFFIC = 90;
const MIB = 2 ** 20;

interface Told {
  readonly type: `resources.${LimitedResource}_exhausted`;
  readonly text: string;
  readonly count: number;
  readonly limit: number;
}

type Growing = 'throttled' | 'readBytes' | 'writtenBytes';

/** Records an event when an account met a limit since the last look, at most once an hour for each limit. */
export class Notices {
  readonly #host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>;
  /** The figures of the look before, and when that was by the monotonic clock. */
  #before: { readonly at: number; readonly groups: ReadonlyMap<number, GroupFigures> } | undefined;

  constructor(host: Pick<Host, 'identity' | 'store' | 'local' | 'events'>) {
    this.#host = host;
  }

  async look(groups: readonly GroupFigures[]): Promise<void> {
    const hits = new Map(
      (await readHits(this.#host.local)).map((each) => [`${each.accountId} ${each.resource}`, each]),
    );
    const at = performance.now();
    for (const figures of groups) {
      const { accountId, killed, refused } = figures;
      const known = (resource: LimitedResource): Hits =>
        hits.get(`${accountId} ${resource}`) ?? { accountId, resource, count: 0, toldAt: 0 };
      const grown = (figure: Growing) => this.#perSecond(figures, figure, at);
      const waited = Math.min(100, Math.round((grown('throttled') * PERIOD_MS) / 10));
      await this.#compare(known('memory'), killed);
      await this.#compare(known('processes'), refused);
      await this.#tell(known('processor'), waited < MUCH_WAITING ? 0 : waited, 0);
      await this.#tell(known('reading'), grown('readBytes') / MIB, 0);
      await this.#tell(known('writing'), grown('writtenBytes') / MIB, 0);
    }
    this.#before = { at, groups: new Map(groups.map((each) => [each.accountId, each])) };
  }

  /** The kernel counts from 0 in a group that was made anew. */
  async #compare(known: Hits, count: number): Promise<void> {
    if (count !== known.count) await this.#tell(known, count < known.count ? count : count - known.count, count);
  }

  /** Keeps the count, and tells of what was more than before. */
  async #tell(known: Hits, more: number, count: number): Promise<void> {
    const { store, local, events, identity } = this.#host;
    const now = Date.now();
    const account =
      more > 0 && now - known.toldAt >= REST_MS ? await identity.accounts.byId(known.accountId) : undefined;
    const told = account && toldOf(known.resource, account, more);
    if (account !== undefined && told !== undefined && told.limit > 0) {
      const { type, text, ...data } = told;
      await store.write((tx) => events.record(tx, { type, account, ip: '', text, data }));
      await keepHits(local, { ...known, count, toldAt: now });
    } else if (count !== known.count) await keepHits(local, { ...known, count });
  }

  /** Returns what a figure has grown by since the look before; the kernel counts from 0 in a group that was made anew. */
  #perSecond(figures: GroupFigures, figure: Growing, at: number): number {
    const before = this.#before?.groups.get(figures.accountId);
    if (this.#before === undefined || before === undefined) return 0;
    return (Math.max(0, figures[figure] - before[figure]) * 1000) / (at - this.#before.at);
  }
}

/** Returns what the account is told; nothing of traffic that is not near its limit. */
function toldOf(resource: LimitedResource, account: Account, count: number): Told | undefined {
  const { memoryMib, cpuPercent, processes, readMib, writeMib } = planLimits(account);
  switch (resource) {
    case 'memory':
      return {
        type: 'resources.memory_exhausted',
        text: `had ${count} processes ended for want of memory`,
        count,
        limit: memoryMib,
      };
    case 'processes':
      return {
        type: 'resources.processes_exhausted',
        text: `was refused ${count} processes or threads`,
        count,
        limit: processes,
      };
    case 'processor':
      return {
        type: 'resources.processor_exhausted',
        text: `waited for the processor in ${count} % of the time`,
        count,
        limit: cpuPercent,
      };
    case 'reading':
      return traffic(resource, 'reading from', count, readMib);
    case 'writing':
      return traffic(resource, 'writing to', count, writeMib);
  }
}

function traffic(resource: 'reading' | 'writing', said: string, mib: number, limit: number): Told | undefined {
  const percent = limit === 0 ? 0 : Math.min(100, Math.round((mib * 100) / limit));
  if (percent < MUCH_TRAFFIC) return undefined;
  const text = `used ${percent} % of its ${limit} MiB/s of ${said} the disk`;
  return { type: `resources.${resource}_exhausted`, text, count: percent, limit };
}
