import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import type { AccountServers, OwnServer } from './account-servers.ts';
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
 * the account's home if this one dies. A query is one turn of the account at its server; all else goes on beside its turns. Errors: 404
 * `database_not_found`; 409 `request_in_progress`; 503 `databases_unavailable`; those of `work`.
 */
export function withTemporary<T>(
  { servers, changes }: TemporaryParts,
  account: Account,
  change: TemporaryChange,
  work: (login: ServerLogin) => Promise<T>,
): Promise<T> {
  const { kind, name } = change;
  const turn: Ask = (run) => servers.with(account, run);
  return kind === 'query' ? turn((server) => within((run) => run(server))) : within(turn);

  async function within(ask: Ask): Promise<T> {
    const { claimed, login } = await ask(async ({ client, ownNames, login: read }) => {
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
      await changes.orAbandon(claimed, () => ask(({ client }) => retireTemporary(client, kind, name, claimed.host)));
      await changes.end(account, claimed, isWhole);
    }
  }
}

type Ask = <R>(run: (server: OwnServer) => Promise<R>) => Promise<R>;
