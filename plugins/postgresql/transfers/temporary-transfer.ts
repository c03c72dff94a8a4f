import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountServers } from '../account-servers.ts';
import type { Item, Items } from '../items.ts';
import type { PostgresqlLogin } from '../server/client.ts';
import { makeTemporary, retireTemporary } from '../temporary-users.ts';

export interface TemporaryParts {
  readonly servers: AccountServers;
  readonly items: Items;
}

/**
 * Runs `work` with the login of a user that is made for it, and dropped after it, also by the next process of the account's home if this
 * one dies. Errors: 409 `request_in_progress`, 503 `databases_unavailable`, and those of `work`.
 */
export async function withTemporary<T>(
  { servers, items }: TemporaryParts,
  account: Account,
  database: Item,
  change: { readonly kind: 'import' | 'export' | 'vacuum'; readonly ip: string },
  work: (login: PostgresqlLogin) => Promise<T>,
): Promise<T> {
  const { name, server } = database;
  const claimed = await items.claim(database, change);
  let isWhole = false;
  try {
    const user = await servers.with(server, account, (connections) => makeTemporary(connections, change.kind, name));
    const result = await work({ ...servers.login(server), ...user });
    isWhole = true;
    return result;
  } finally {
    await items.orAbandon(claimed, () =>
      servers.with(server, account, (connections) => retireTemporary(connections, change.kind, name)),
    );
    await (change.kind === 'export' ? items.cancel(claimed) : items.complete(account, claimed, isWhole));
  }
}
