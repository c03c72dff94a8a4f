import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountServers } from '../server/account-servers.ts';
import type { Databases } from '../databases.ts';
import type { Items } from '../items/items.ts';
import type { PostgresqlLogin } from '../../../kernel/kit/databases/postgresql/client.ts';
import type { ServerConnections } from '../../../kernel/kit/databases/postgresql/roles.ts';
import { makeTemporary, retireTemporary, type TemporaryUse } from './temporary-users.ts';

export interface TemporaryParts {
  readonly servers: AccountServers;
  readonly items: Items;
  readonly databases: Databases;
}
/** One use of a database, and who asks for it. */
export interface Use {
  readonly database: string;
  readonly ip: string;
}

/**
 * Runs `work` with the login of a user that is made for it, and dropped after it, also by the next process of the account's home if this
 * one dies. A query waits for others of the account; nothing else waits for `work`. Errors: 404 `database_not_found`; 409
 * `request_in_progress`; 503 `databases_unavailable`; those of `work`.
 */
export async function withTemporary<T>(
  { servers, items, databases }: TemporaryParts,
  account: Account,
  { kind, database, ip }: Use & { readonly kind: TemporaryUse },
  work: (login: PostgresqlLogin) => Promise<T>,
): Promise<T> {
  const found = await databases.find(account, database);
  const { server } = found;
  const ask = <R>(run: (connections: ServerConnections) => Promise<R>) => servers.with(server, account, run);
  return kind === 'query' ? servers.turns.run(server, account.id, within, 'query') : within();

  async function within(): Promise<T> {
    // what another one of the account has begun to clean up is done first
    const claimed = await ask(() => items.claim(found, { kind, ip }));
    let isWhole = false;
    try {
      const user = await ask((connections) => makeTemporary(connections, kind, database));
      const result = await servers.turns.judged(server, () => work({ ...servers.login(server), ...user }));
      isWhole = true;
      return result;
    } finally {
      await items.orAbandon(claimed, () => ask((connections) => retireTemporary(connections, kind, database)));
      await items.end(account, claimed, isWhole);
    }
  }
}
