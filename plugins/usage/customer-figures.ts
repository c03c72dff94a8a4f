import { fail } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountFigures, AccountsLoad, ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import { Polled } from '../../kernel/kit/waiting/polled.ts';

const INTERVAL_MS = 10_000;
/** After this long without a question, nothing is sampled. */
const FOLLOWED_MS = 30_000;
/** How long the first question waits. */
const FIRST_MS = 5000;

type Asked = Pick<Host, 'identity' | 'gather' | 'log'>;

/** Everything known of customers, by their ids. */
export interface Customers {
  readonly usages: ReadonlyMap<number, readonly ResourceUsage[]>;
  readonly figures: ReadonlyMap<number, AccountFigures>;
}

/** Samples what all customers of this node use, by their ids, in the background and only while somebody asks. */
export function pollCustomers({ identity, gather, log }: Asked): Polled<Customers> {
  const late = () =>
    fail.overloaded('what customers use is being sampled for the first time', { retryAfterSeconds: 2 });
  return new Polled({
    measure: async () => {
      const usages = new Map<number, ResourceUsage[]>();
      const all: Account[] = [];
      for await (const accounts of identity.accounts.pagesOfHere()) {
        all.push(...accounts);
        const parts = await gather('accountsUsage', accounts);
        for (const { id } of accounts)
          usages.set(
            id,
            parts.flatMap((part) => (part.ok && part.value.get(id)) || []),
          );
      }
      const loads = (await gather('accountsLoad', all)).map((part) => (part.ok ? part.value : undefined));
      const figures = new Map([...usages].map(([id, usage]) => [id, toFigures(id, usage, loads)]));
      return { usages, figures };
    },
    freshMs: FOLLOWED_MS,
    everyMs: INTERVAL_MS,
    idleMs: FOLLOWED_MS,
    waitMs: FIRST_MS,
    late,
    failed: late,
    onStateChange: (error) => {
      if (error !== undefined) log.warn({ err: error }, 'what customers use could not be sampled');
    },
  });
}

/** A part that is missing would make a sum too small, so that the sum is not known. */
function toFigures(
  id: number,
  usage: readonly ResourceUsage[],
  loads: readonly (AccountsLoad | undefined)[],
): AccountFigures {
  const used = (name: string) => usage.find(({ resource }) => resource === name)?.used ?? null;
  const parts = loads.map((each) => each?.get(id));
  const known = parts.filter((each) => each !== undefined);
  const isKnown = known.length > 0 && known.length === parts.length;
  const sum = (figure: 'cpuPercent' | 'memoryBytes') => known.reduce((total, each) => total + each[figure], 0);
  return {
    disk_kib: used('disk_kib'),
    inodes: used('inodes'),
    cpu_percent: isKnown ? Math.round(sum('cpuPercent') * 10) / 10 : null,
    memory_bytes: isKnown ? Math.round(sum('memoryBytes')) : null,
  };
}
