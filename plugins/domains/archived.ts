import { domainToUnicode } from 'node:url';
import { unlessRefused, type ArchivePart, type ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { Type, type Static } from '../../kernel/schema.ts';
import type { DomainChanges } from './changes/domain-changes.ts';
import type { DomainRegistry } from './changes/registry.ts';
import { listDomains } from './store.ts';
import type { DomainViews } from './views.ts';

interface Parts extends Pick<Host, 'store' | 'gather'> {
  readonly views: DomainViews;
  readonly registry: DomainRegistry;
  readonly changes: DomainChanges;
}

const Text = Type.String({ maxLength: 4096 });
const Archived = Type.Object({
  name: Text,
  docroot: Type.String({ maxLength: 4096, description: 'Below the files root' }),
  aliases: Type.Array(Text),
  shown_as: Type.String({ maxLength: 4096, description: 'See `DomainRow.shown_as`' }),
  is_suspended: Type.Boolean(),
  is_held: Type.Boolean({ description: 'Whether an operator suspended it' }),
});
type Archived = Static<typeof Archived>;

/** Returns how the domains of an account travel: in an archive all, or the account does not come; from a backup those that can. */
export const archivedDomains = (parts: Parts): ArchivePart => ({
  schema: Type.Array(Archived, { maxItems: 100_000 }),
  save: async ({ id }) => {
    const rows = await listDomains(parts.store, id);
    return rows.length === 0
      ? undefined
      : rows.map(({ name, docroot, aliases, shown_as, ...row }): Archived => {
          const [is_suspended, is_held] = [row.suspended_at !== null, row.held_at !== null];
          return { name, docroot, aliases: [...aliases], shown_as, is_suspended, is_held };
        });
  },
  restore: async (account, saved, told) => {
    for (const domain of inOrder(saved as readonly Archived[])) {
      if (told.isLive === true) {
        await unlessRefused(told, domain.name, () => restoreLive(parts, account, domain, told));
        continue;
      }
      await restoreDomain(parts, account, domain);
      if (domain.is_held) told.next.push(`suspend ${domain.name} again, which an administrator had suspended`);
    }
  },
  serve: async (account, saved, told) => {
    if (told.isLive === true) return settleSuspensions(parts, account, saved as readonly Archived[], told);
    const domains = await parts.views.list(account);
    const served = domains.map((domain) => parts.gather('siteChanged', { ...domain, account }));
    for (const each of (await Promise.all(served)).flat()) if (!each.ok) throw each.error;
  },
});

async function restoreDomain(
  { registry, changes }: Parts,
  account: Account,
  { name, docroot, aliases, shown_as: shownAs, is_suspended: isSuspended }: Archived,
): Promise<void> {
  const subject = { account, domain: name, ip: '' };
  await registry.add(subject, docroot);
  for (const alias of aliases) await changes.addAlias(subject, alias);
  if (shownAs !== '' && account.features.has('capitalize_domains')) await changes.setSpelling(subject, shownAs);
  if (isSuspended) await changes.setSuspended(subject, true);
}

/**
 * Gives a domain the settings that it had, or adds it again: suspended, as its site is not to be seen before other plugins have put back
 * what they keep of it, such as passwords. Aliases that it has got since stay.
 */
async function restoreLive(
  { store, registry, changes }: Parts,
  account: Account,
  { name, docroot, aliases, shown_as: shownAs }: Archived,
  told: ImportNotes,
): Promise<void> {
  const subject = { account, domain: name, ip: '' };
  const there =
    (await listDomains(store, account.id)).find((each) => each.name === name) ??
    (await registry.add(subject, docroot, { isSuspended: true }));
  const set = (what: string, work: () => Promise<unknown>) => unlessRefused(told, `${what} of ${name}`, work);
  if (there.docroot !== docroot) await set('the document root', () => changes.setDocroot(subject, docroot));
  for (const alias of aliases)
    if (!there.aliases.includes(alias)) await set(`the alias ${alias}`, () => changes.addAlias(subject, alias));
  if (there.shown_as !== shownAs && account.features.has('capitalize_domains'))
    await set('the spelling', () => changes.setSpelling(subject, shownAs || domainToUnicode(name)));
}

/** Suspensions by administrators are theirs: they stay as they are, or as they were when the account was removed. */
async function settleSuspensions(
  { store, changes }: Parts,
  account: Account,
  saved: readonly Archived[],
  told: ImportNotes,
): Promise<void> {
  const own = new Set((await listDomains(store, account.id)).map(({ name }) => name));
  for (const { name, is_suspended: isSuspended, is_held: isHeld } of saved.filter((each) => own.has(each.name))) {
    const subject = { account, domain: name, ip: '' };
    const { restoredBy: by } = told;
    await unlessRefused(told, `the suspension of ${name} as it was`, async () => {
      if (isHeld && by !== undefined) await changes.setHeld({ ...subject, by }, true);
      await changes.setSuspended(subject, isSuspended);
    });
  }
}

/** One that is served from the files root must be the first, and a subdomain counts less if its parent is there. */
const inOrder = (domains: readonly Archived[]): Archived[] =>
  domains.toSorted((a, b) => Number(b.docroot === '') - Number(a.docroot === '') || a.name.length - b.name.length);
