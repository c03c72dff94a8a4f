import type { DatabaseSessions } from '../../../kernel/contract/points/database-servers.ts';
import type { AccountServers } from '../account-servers.ts';
import { makeUser, readOwnHost, retireUser, temporaryUser } from './temporary-users.ts';

/** See `DatabaseSessions`. The user has all rights on each database that there is, and none on those that it would make. */
export function databaseSessions(servers: AccountServers): Pick<DatabaseSessions, 'open' | 'close'> {
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
        return { ...(await login()), user: user.name, password: await makeUser(client, 'session', user, databases) };
      });
    },
  };
}
