import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import { namePart } from './names/name.ts';
import type { DomainPage, DomainsQuery } from './schema.ts';
import { findByPart } from './store.ts';
import { domainEntry, type DomainViews } from './views.ts';

/** Returns a page of the domains of all accounts, with their owners. */
export async function searchDomains(
  { store, identity }: Pick<Host, 'store' | 'identity'>,
  views: DomainViews,
  { q, cursor, limit }: Static<typeof DomainsQuery>,
): Promise<Static<typeof DomainPage>> {
  const rows = await findByPart(store, namePart(q), cursor, limit + 1);
  const page = rows.slice(0, limit);
  const owners = await Promise.all(page.map((row) => identity.accounts.byId(row.account_id)));
  const domains = page.flatMap((row, i) => {
    const owner = owners[i];
    if (owner === undefined) return []; // removed between the two reads, and its domains with it
    return [{ ...domainEntry(views.domain(row)), username: owner.username, user_id: owner.id }];
  });
  return { domains, next_cursor: rows.length > limit ? (page.at(-1)?.name ?? null) : null };
}
