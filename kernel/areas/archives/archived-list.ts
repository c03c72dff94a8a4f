import type { Account } from '../../identity/accounts/account.ts';
import { Type, type TObject, type TSchema } from '../../schema.ts';
import type { SiteSubject } from '../sites/site-values.ts';
import { unlessRefused, type ArchivePart, type ImportNotes } from '../../contract/points/archive-part.ts';

const MOST_ITEMS = 100_000;

interface ArchivedList<T> {
  readonly item: TSchema;
  readonly list: (account: Account) => Promise<readonly T[]>;
  /** Does as the API does. */
  readonly put: (account: Account, item: T, told: ImportNotes) => Promise<unknown>;
  /** Names an item for people. */
  readonly called: (item: T) => string;
}

/** Returns the part of a list: items that are refused are missing, and the others are put back. */
export const archivedList = <T>({ item, list, put, called }: ArchivedList<T>): ArchivePart => ({
  schema: Type.Array(item, { maxItems: MOST_ITEMS }),
  save: async (account) => {
    const items = await list(account);
    return items.length === 0 ? undefined : items;
  },
  restore: async (account, saved, told) => {
    const there = new Set((await list(account)).map((each) => JSON.stringify(each)));
    for (const each of saved as readonly T[]) {
      if (there.has(JSON.stringify(each))) continue;
      await unlessRefused(told, called(each), () => put(account, each, told));
    }
  },
});

interface ArchivedSites<T> {
  /** The schema of the settings of one site. */
  readonly settings: TObject;
  /** Resolves with those of each site. */
  readonly list: (account: Account) => Promise<readonly (T & { readonly domain_url: string })[]>;
  readonly put: (subject: SiteSubject, settings: T, told: ImportNotes) => Promise<unknown>;
  /** For people, such as `the firewall`. */
  readonly what: string;
}

/** Returns the part of settings that each site has. */
export const archivedSites = <T extends object>({ settings, list, put, what }: ArchivedSites<T>): ArchivePart =>
  archivedList<T & { readonly domain_url: string }>({
    item: Type.Object({ domain_url: Type.String({ maxLength: 253 }), ...settings.properties }),
    list,
    put: (account, { domain_url: domain, ...given }, told) =>
      put({ account, domain, ip: '' }, given as unknown as T, told),
    called: ({ domain_url: domain }) => `${what} of ${domain}`,
  });

/** Returns the part that has others as its members; one that saves nothing is left out. */
export const archivedMembers = (members: Readonly<Record<string, ArchivePart>>): ArchivePart => ({
  schema: Type.Object(
    Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, Type.Optional(schema)])),
  ),
  save: async (account) => {
    const saved: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(members)) saved[name] = await part.save(account);
    return Object.values(saved).every((each) => each === undefined) ? undefined : saved;
  },
  restore: async (account, saved, told) => {
    for (const [name, part] of Object.entries(members)) {
      const own = (saved as Readonly<Record<string, unknown>>)[name];
      if (own !== undefined) await part.restore(account, own, told);
    }
  },
});
