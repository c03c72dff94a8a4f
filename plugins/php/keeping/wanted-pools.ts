import type { Host } from '../../../kernel/contract/plugin.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { programKey } from '../../../kernel/kit/programs/program-folder.ts';
import type { AccountPools } from './account-pools.ts';
import { boundsFor, poolFor } from '../options.ts';
import type { Pool } from '../pools/pool.ts';
import type { PhpConfig } from '../schema.ts';
import { sitesWithPhp } from '../store.ts';

export interface Wanted {
  readonly account: Account;
  readonly pool: Pool;
  /** Names of the domains that need it. */
  readonly domains: readonly string[];
}

/** Resolves with the pools that domains need, of all accounts or of one, by their keys. */
export async function wantedPools(
  host: Host<PhpConfig>,
  pools: AccountPools,
  accountId?: number,
): Promise<Map<string, Wanted>> {
  const { accounts } = host.identity;
  const directory = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  const wanted = new Map<string, Wanted>();
  for (const site of await sitesWithPhp(host.store)) {
    if (accountId !== undefined && site.accountId !== accountId) continue;
    const account = await accounts.byId(site.accountId);
    if (!accounts.isOpenHere(account)) continue;
    const domain = (await directory.list(account)).find(({ id }) => id === site.domainId);
    if (domain === undefined) continue;
    const pool = poolFor(site, boundsFor(account, host.config));
    const key = programKey({ accountId: account.id, name: pools.nameOf(pool) });
    wanted.set(key, { account, pool, domains: [...(wanted.get(key)?.domains ?? []), domain.name] });
  }
  return wanted;
}
