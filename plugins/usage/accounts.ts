import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountFigures, FigureName, ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import { fromCursor, sortedFrom, toCursor } from '../../kernel/kit/position.ts';
import type { Polled } from '../../kernel/kit/waiting/polled.ts';
import type { Customers } from './customer-figures.ts';
import type { AccountsQuery, AccountUsage, AccountUsagePage } from './schema.ts';

const UNKNOWN: AccountFigures = { disk_kib: null, inodes: null, cpu_percent: null, memory_bytes: null };

interface Parts extends Pick<Host, 'identity' | 'gather'> {
  readonly customers: Polled<Customers>;
}

/**
 * Returns a page of what customers use, from what the plugins know without looking for it: what is at other nodes, they do
 * not. Errors: 503 `overloaded` for an order by figures that were not sampled yet.
 */
export async function accountUsagePage(parts: Parts, query: AccountsQuery): Promise<AccountUsagePage> {
  const { limit, cursor, node, sort, ...rest } = query;
  const filter = { ...rest, role: 'user' as const, ...(node !== undefined && { home: node }) };
  const { identity, gather, customers } = parts;
  if (sort !== 'username') {
    const [by, isDescending] = [sort.replace('-', '') as FigureName, sort.startsWith('-')];
    const [known, all] = await Promise.all([customers.read(), identity.accounts.matching(filter)]);
    const position = ({ id, username }: Pick<Account, 'id' | 'username'>) =>
      [known.figures.get(id)?.[by] ?? -1, username] as const;
    const sorted = sortedFrom(all, position, isDescending, fromCursor(cursor, 'number'));
    const last = sorted.length > limit ? sorted[limit - 1] : undefined;
    const read = await Promise.all(sorted.slice(0, limit).map(({ id }) => identity.accounts.byId(id)));
    const accounts = read.filter((account) => account !== undefined); // one may be removed meanwhile
    return {
      accounts: accounts.map((account) => toRow(account, known.usages.get(account.id), known.figures.get(account.id))),
      next_cursor: last === undefined ? null : toCursor(position(last)),
    };
  }
  const found = await identity.accounts.list(limit + 1, cursor, filter);
  const accounts = found.slice(0, limit);
  const usages = await gather('accountsUsage', accounts.filter(identity.accounts.isHere));
  const figures = customers.peek()?.figures;
  return {
    accounts: accounts.map((account) => {
      const usage = usages.flatMap((part) => (part.ok && part.value.get(account.id)) || []);
      return toRow(account, usage, figures?.get(account.id));
    }),
    next_cursor: found.length > limit ? (accounts.at(-1)?.username ?? null) : null,
  };
}

function toRow(
  { id, username, plan, suspended }: Account,
  usage: readonly ResourceUsage[] = [],
  { cpu_percent, memory_bytes } = UNKNOWN,
): AccountUsage {
  const part = (resource: string) => usage.find((each) => each.resource === resource);
  const use = (resource: string, limit = 0) => ({ used: part(resource)?.used ?? null, limit });
  const at = part('disk_kib')?.at;
  return {
    user_id: id,
    username,
    plan: plan?.name ?? null,
    suspended,
    cpu_percent,
    memory_bytes,
    disk_kib: use('disk_kib', (plan?.limits['disk_limit_mib'] ?? 0) * 1024),
    inodes: use('inodes', plan?.limits['inodes_limit']),
    domains: use('domains', plan?.limits['domains_limit']),
    memory_kib: use('memory_kib', (plan?.limits['ram_limit_mib'] ?? 0) * 1024),
    processor_percent: use('processor_percent', Math.round((plan?.limits['cpu_limit'] ?? 0) * 100)),
    processes: use('processes', plan?.limits['processes_limit']),
    disk_read_kib_per_second: use('disk_read_kib_per_second', (plan?.limits['io_read_limit_mib'] ?? 0) * 1024),
    disk_written_kib_per_second: use('disk_written_kib_per_second', (plan?.limits['io_write_limit_mib'] ?? 0) * 1024),
    websites: use('websites', plan?.limits['websites_limit']),
    databases: use('databases', plan?.limits['db_limit']),
    traffic_mib: use('traffic_mib', plan?.limits['traffic_limit_mib']),
    bandwidth: use('bandwidth', plan?.limits['bandwidth']),
    measured_at: at === undefined ? null : new Date(at).toISOString(),
  };
}
