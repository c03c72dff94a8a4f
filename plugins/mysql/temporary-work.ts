import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import type { AccountServers } from './account-servers.ts';
import type { Change, Changes } from './changes.ts';
import { assertOwn } from './databases.ts';
import { makeTemporary, readOwnHost, retireTemporary, type TemporaryUse } from './users/temporary-users.ts';

export interface TemporaryParts {
  readonly servers: AccountServers;
  readonly changes: Changes;
}
/** `name`: of the database. */
type TemporaryChange = Pick<Change, 'name' | 'ip' | 'about'> & { readonly kind: TemporaryUse };

/**
 * Runs `work` with the login of a user that is made for it, and dropped after it with what it does, also by the next process of
 * the account's home if this one dies. A query waits for others of the account; nothing else waits for `work`. Errors: 404
 * `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`; those of `work`.
 */
export function withTemporary<T>(
  { servers, changes }: TemporaryParts,
  account: Account,
  change: TemporaryChange,
  work: (login: ServerLogin) => Promise<T>,
): Promise<T> {
  const { kind, name } = change;
  return kind === 'query' ? servers.afterQueries(account, within) : within();

  async function within(): Promise<T> {
    const { claimed, login } = await servers.with(account, async ({ client, ownNames, login: read }) => {
      assertOwn(await ownNames([name]), name);
      const [host, own] = [await readOwnHost(client), await read()];
      // from here on the next process of the account's home knows that there is a user to drop
      const claim = await changes.claim(account, { ...change, host, change: 'create' });
      const user = await changes.orAbandon(claim, () => makeTemporary(client, kind, name, host));
      return { claimed: claim, login: { ...own, ...user } };
    });
    let isWhole = false;
    try {
      const result = await work(login);
      isWhole = true;
      return result;
    } finally {
      await changes.orAbandon(claimed, () =>
        servers.with(account, ({ client }) => retireTemporary(client, kind, name, claimed.host)),
      );
      await changes.end(account, claimed, isWhole);
    }
  }
}
