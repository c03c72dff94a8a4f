import { archivedList } from '../../kernel/areas/archives/archived-list.ts';
import { unlessRefused, type ArchivePart, type ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import type { ManagedUsers } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { NewDatabaseName } from '../../kernel/kit/databases/schema.ts';
import { PRIVILEGES } from '../../kernel/kit/databases/mariadb/privileges.ts';
import { literal, quotedUser, userText, type UserName } from '../../kernel/kit/databases/mysql-text.ts';
import { Type, type Static } from '../../kernel/schema.ts';

const Text = Type.String({ minLength: 1, maxLength: 255 });
const ArchivedUser = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: "After the account's prefix" }),
  host: Text,
  hash: Type.Union([Type.String({ pattern: '^\\*[0-9A-F]{40}$' }), Type.Null()], {
    description: 'Of the password; null where the user logs in by another method',
  }),
  access: Type.Array(
    Type.Object({
      database: Type.String({ minLength: 1, maxLength: 255, description: "After the account's prefix" }),
      privileges: Type.Array(Type.String({ enum: PRIVILEGES }), { minItems: 1, maxItems: PRIVILEGES.length }),
    }),
    { maxItems: 10_000 },
  ),
});
type ArchivedUser = Static<typeof ArchivedUser>;

/** Of what follows the prefix in a name that accounts choose. */
const CHOSEN = new RegExp(NewDatabaseName.pattern ?? '');
const prefixOf = ({ username }: Account) => `${username}_`;

/** Returns how the database users of accounts travel in an archive, with their passwords and their rights on whole databases. */
export const archivedUsers = (managed: ManagedUsers): ArchivePart => ({
  ...archivedList<ArchivedUser>({
    item: ArchivedUser,
    list: (account) => listUsers(managed, account),
    put: (account, user, notes) => restoreUser(managed, account, user, notes),
    called: ({ name, host }) => `the database user ${userText({ name, host })}`,
  }),
  isOpen: true,
});

async function listUsers(managed: ManagedUsers, account: Account): Promise<ArchivedUser[]> {
  if (!managed.isManaged(account)) return [];
  const [prefix, users] = [prefixOf(account), await managed.users.list(account)];
  const own = users.filter(({ name }) => name.startsWith(prefix));
  const hashes = await managed.with(account, ({ client }) =>
    Promise.all(
      own.map(async ({ name, host }) => {
        const [row] = await client.query<{ hash: string | null }>(
          `select json_value(priv, '$.authentication_string') as hash from mysql.global_priv
            where user = ? and host = ? and json_value(priv, '$.plugin') = 'mysql_native_password'`,
          [Buffer.from(name), Buffer.from(host)],
        );
        return row?.hash ? row.hash : null;
      }),
    ),
  );
  return own.map(({ name, host, access }, i) => ({
    ...{ name: name.slice(prefix.length), host, hash: hashes[i] ?? null },
    access: access
      .filter(({ database }) => database.startsWith(prefix))
      .map(({ database, privileges }) => ({
        database: database.slice(prefix.length),
        privileges: privileges.filter((each) => PRIVILEGES.includes(each)),
      }))
      .filter(({ privileges }) => privileges.length > 0),
  }));
}

/** Makes the user as the account itself does. Errors: those of making one. */
async function restoreUser(
  managed: ManagedUsers,
  account: Account,
  { name, host, hash, access }: ArchivedUser,
  told: ImportNotes,
): Promise<void> {
  if (!CHOSEN.test(name)) {
    told.missing.push(`the database user ${userText({ name, host })}: no account can give one this name`);
    return;
  }
  const own: UserName = { name: `${prefixOf(account)}${name}`, host };
  const isOwn = (each: UserName) => each.name === own.name && each.host === own.host;
  const isThere = told.isLive === true && (await managed.users.list(account)).some(isOwn);
  const user = isThere ? own : await managed.users.create(account, { name, host }, '');
  if (hash === null && !isThere)
    told.next.push(`have the owner give the database user ${userText(user)} a new password`);
  if (hash !== null)
    await managed.with(account, ({ client }) =>
      client.query(`alter user ${quotedUser(user)} identified by password ${literal(hash)}`),
    );
  for (const { database, privileges } of access)
    await unlessRefused(told, `rights of ${userText(user)} on the database ${database}`, () =>
      managed.users.setAccess(account, user, `${prefixOf(account)}${database}`, privileges, ''),
    );
}
