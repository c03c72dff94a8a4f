import { archivedList } from '../../../kernel/areas/archives/archived-list.ts';
import { unlessRefused, type ArchivePart, type ImportNotes } from '../../../kernel/contract/points/archive-part.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { NewDatabaseName } from '../../../kernel/kit/databases/schema.ts';
import { Type, type Static } from '../../../kernel/schema.ts';
import { prefixFor } from '../databases.ts';
import { NewAccess, type Level } from '../schema.ts';
import type { Users } from './users.ts';

const BASE64 = '[A-Za-z0-9+/]{1,100}={0,2}';
const ArchivedUser = Type.Object({
  name: NewDatabaseName,
  verifier: Type.Union(
    [Type.String({ pattern: `^SCRAM-SHA-256\\$[0-9]{4,6}:${BASE64}\\$${BASE64}:${BASE64}$` }), Type.Null()],
    { description: 'Of the password; null where the server does not tell it' },
  ),
  access: Type.Array(Type.Object({ database: NewDatabaseName, level: NewAccess.properties.level }), {
    maxItems: 10_000,
  }),
});
type ArchivedUser = Static<typeof ArchivedUser>;

/** Returns how the database users of accounts travel in an archive, with their passwords and rights; the names follow the account's. */
export const archivedUsers = (users: Users): ArchivePart => ({
  ...archivedList<ArchivedUser>({
    item: ArchivedUser,
    list: async (account) => {
      const after = (name: string) => name.slice(prefixFor(account).length);
      const [all, verifiers] = [await users.list(account), await users.verifiers(account)];
      return all.map(({ name, access }) => ({
        ...{ name: after(name), verifier: verifiers.get(name) ?? null },
        access: access.map(({ database, level }) => ({ database: after(database), level })),
      }));
    },
    put: (account, user, notes) => restoreUser(users, account, user, notes),
    called: ({ name }) => `the PostgreSQL user ${name}`,
  }),
  isOpen: true,
});

/** Makes the user as the account itself does. Errors: those of making one. */
async function restoreUser(
  users: Users,
  account: Account,
  { name: suffix, verifier, access }: ArchivedUser,
  told: ImportNotes,
): Promise<void> {
  const name = `${prefixFor(account)}${suffix}`;
  const isThere = told.isLive === true && (await users.list(account)).some((each) => each.name === name);
  if (!isThere) await users.create(account, suffix, '');
  if (verifier === null && !isThere) told.next.push(`have the owner give the PostgreSQL user ${name} a new password`);
  if (verifier !== null) await users.setVerifier(account, name, verifier, '');
  for (const { database, level } of access)
    await unlessRefused(told, `rights of ${name} on the database ${database}`, () =>
      users.setAccess(account, name, `${prefixFor(account)}${database}`, level as Level, ''),
    );
}
