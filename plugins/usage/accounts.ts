import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountsUsage } from '../../kernel/contract/points/account-report.ts';
import type { AccountsQuery, AccountUsage, AccountUsagePage } from './schema.ts';

/**
 * Returns a page of what customers use, by name, from what the plugins know without looking for it: what is at other
 * nodes, they do not.
 */
export async function accountUsagePage(
  { identity, gather }: Pick<Host, 'identity' | 'gather'>,
  { limit, cursor, node, ...filter }: AccountsQuery,
): Promise<AccountUsagePage> {
  const found = await identity.accounts.list(limit + 1, cursor, {
    ...filter,
    role: 'user',
    ...(node !== undefined && { home: node }),
  });
  const accounts = found.slice(0, limit);
  const parts = (await gather('accountsUsage', accounts.filter(identity.accounts.isHere))).flatMap((part) =>
    part.ok ? part.value : [],
  );
  const byResource = new Map(parts.map((part) => [part.resource, part]));
  return {
    accounts: accounts.map((account) => rowOf(account, byResource)),
    next_cursor: found.length > limit ? (accounts.at(-1)?.username ?? null) : null,
  };
}

function rowOf(
  { id, username, plan, suspended }: Account,
  parts: ReadonlyMap<AccountsUsage['resource'], AccountsUsage>,
): AccountUsage {
  const use = (resource: AccountsUsage['resource'], limit = 0) => ({
    used: parts.get(resource)?.used.get(id) ?? null,
    limit,
  });
  const at = parts.get('disk_kib')?.at?.get(id);
  return {
    user_id: id,
    username,
    plan: plan?.name ?? null,
    suspended,
    disk_kib: use('disk_kib', (plan?.disk_limit_mib ?? 0) * 1024),
    inodes: use('inodes', plan?.inodes_limit),
    domains: use('domains', plan?.domains_limit),
    websites: use('websites', plan?.websites_limit),
    databases: use('databases', plan?.db_limit),
    bandwidth: { used: null, limit: plan?.bandwidth ?? 0 },
    measured_at: at === undefined ? null : new Date(at).toISOString(),
  };
}
