import type { DatabaseSessions } from '../../../kernel/areas/database-servers.ts';
import type { AccountServers } from '../account-servers.ts';
import type { AccessRights } from './access-rights.ts';
import { makeUser, readOwnHost, retireUser, temporaryUser } from './temporary-users.ts';

/** See `DatabaseSessions`. The user has all rights on each database that there is, and none on those that it would make. */
export function databaseSessions(
  servers: AccountServers,
  rights: AccessRights,
): Pick<DatabaseSessions, 'open' | 'close'> {
  const close: DatabaseSessions['close'] = (account) =>
    servers.with(account, async ({ client, ownNames }) => {
      const { prefix, databases } = await ownNames();
      const { name } = temporaryUser('session', prefix, '');
      const hosts = await client.query<{ host: string }>('select host from mysql.global_priv where user = ?', [
        Buffer.from(name),
      ]);
      for (const { host } of hosts) await retireUser(client, { name, host }, databases);
    });
  return {
    close,
    async open(account) {
      await close(account);
      return servers.with(account, async ({ client, ownNames, login }) => {
        const { prefix, databases } = await ownNames();
        const user = temporaryUser('session', prefix, await readOwnHost(client));
        const password = await makeUser(client, 'session', user, databases);
        await rights.keepStopped(client, account, user);
        return { ...(await login()), user: user.name, password };
      });
    },
  };
}
