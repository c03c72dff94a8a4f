import type { ArchivePart } from '../../kernel/contract/points/move-part.ts';
import { readBoolean, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { DomainChanges } from './domain-changes.ts';
import type { DomainRegistry } from './registry.ts';
import { listDomains } from './store.ts';

interface Parts {
  readonly store: Store;
  readonly registry: DomainRegistry;
  readonly changes: DomainChanges;
}
interface Archived {
  readonly name: string;
  /** Below the files root. */
  readonly docroot: string;
  readonly aliases: readonly string[];
  /** See `DomainRow.shown_as`. */
  readonly shown_as: string;
  readonly is_suspended: boolean;
  /** Whether an operator suspended it. */
  readonly is_held: boolean;
}

const MEMBERS = ['name', 'docroot', 'aliases', 'shown_as', 'is_suspended', 'is_held'] as const;
const LISTED = 100_000;
const ANY = /^[^]{0,4096}$/;

/** Returns how the domains of an account travel in an archive. */
export const archivedDomains = ({ store, registry, changes }: Parts): ArchivePart => ({
  save: async ({ id }) => {
    const rows = await listDomains(store, id);
    return rows.length === 0
      ? undefined
      : rows.map(({ name, docroot, aliases, shown_as, ...row }): Archived => {
          const [is_suspended, is_held] = [row.suspended_at !== null, row.held_at !== null];
          return { name, docroot, aliases, shown_as, is_suspended, is_held };
        });
  },
  restore: async (account, saved) => {
    const next: string[] = [];
    for (const domain of inOrder(readList(saved, LISTED, readDomain))) {
      await restoreDomain({ registry, changes }, account, domain);
      if (domain.is_held) next.push(`suspend ${domain.name} again, which an administrator had suspended`);
    }
    return next;
  },
});

async function restoreDomain(
  { registry, changes }: Omit<Parts, 'store'>,
  account: Account,
  { name, docroot, aliases, shown_as: shownAs, is_suspended: isSuspended }: Archived,
): Promise<void> {
  await registry.add(account, name, docroot, '');
  const subject = { account, domain: name, ip: '' };
  for (const alias of aliases) await changes.addAlias(subject, alias);
  if (shownAs !== '') await changes.setSpelling(subject, shownAs);
  if (isSuspended) await changes.setSuspended(subject, true);
}

function readDomain(value: unknown): Archived {
  const given = readMembers(value, MEMBERS);
  return {
    name: readText(given.name, ANY),
    docroot: readText(given.docroot, ANY),
    aliases: readList(given.aliases, LISTED, (alias) => readText(alias, ANY)),
    shown_as: readText(given.shown_as, ANY),
    is_suspended: readBoolean(given.is_suspended),
    is_held: readBoolean(given.is_held),
  };
}

/** One that is served from the files root must be the first, and a subdomain counts less if its parent is there. */
const inOrder = (domains: readonly Archived[]): Archived[] =>
  domains.toSorted((a, b) => Number(b.docroot === '') - Number(a.docroot === '') || a.name.length - b.name.length);
