import { archivedList } from '../../../kernel/areas/archives/archived-list.ts';
import type { ArchivePart } from '../../../kernel/contract/points/archive-part.ts';
import { Type, type Static } from '../../../kernel/schema.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { NewUserLimits } from '../schema.ts';
import { readOwnLimits } from './limit-store.ts';
import { connectionsLimit, within } from './limits.ts';
import type { UserLimitChanges } from './user-limits.ts';

const ArchivedLimits = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 128, description: "After the account's prefix" }),
  ...NewUserLimits.properties,
});
type ArchivedLimits = Static<typeof ArchivedLimits>;

/** Returns how the limits of database users travel in an archive of their account: as far as the plan allows. */
export const archivedLimits = (store: Store, limits: UserLimitChanges): ArchivePart =>
  archivedList<ArchivedLimits>({
    item: ArchivedLimits,
    list: async (account) => {
      const prefix = `${account.username}_`;
      const all = (await readOwnLimits(store, account)).filter(({ name }) => name.startsWith(prefix));
      return all.map(({ name, host, own }) => ({ name: name.slice(prefix.length), host, ...own }));
    },
    put: (account, { name, host, ...own }) =>
      limits.set(account, { name: `${account.username}_${name}`, host }, within(own, connectionsLimit(account)), ''),
    called: ({ name }) => `the limits of the database user ${name}`,
  });
