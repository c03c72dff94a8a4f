import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountServers } from './account-servers.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import type { Items } from '../items/items.ts';
import type { DatabaseProcesses } from '../schema.ts';
import type { PostgresqlClient } from '../../../kernel/kit/databases/postgresql/client.ts';

const LISTED = 1000;
const STATEMENT_CHARACTERS = 1000;
const END_MS = 5000;

interface Parts extends Pick<Host, 'store' | 'events'> {
  readonly servers: AccountServers;
  readonly items: Items;
}

/** Lists and ends what the database users of accounts are doing. */
export class Processes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with them, longest first. Errors: 503 `databases_unavailable`. */
  list(account: Account): Promise<DatabaseProcesses> {
    return this.#with(account, readProcesses);
  }

  /** Errors: 404 `database_process_not_found`. */
  async end(account: Account, id: string, ip: string): Promise<void> {
    const [ended] = await this.#with(account, async (main, users) => {
      const found = (await readProcesses(main, users)).filter((each) => String(each.id) === id);
      return found[0] !== undefined && (await end(main, found[0])) ? found : [];
    });
    if (ended === undefined) throw fail.database_process_not_found('there is no such process');
    const { user } = ended;
    const text = `ended a process of the PostgreSQL user ${user}`;
    await this.#parts.store.write((tx) =>
      this.#parts.events.record(tx, { type: 'postgresql.process_ended', account, ip, text, data: { user } }),
    );
  }

  async #with(
    account: Account,
    work: (main: PostgresqlClient, users: readonly string[]) => Promise<DatabaseProcesses>,
  ): Promise<DatabaseProcesses> {
    const users = await this.#parts.items.list(account, 'user');
    const [first] = users;
    if (first === undefined) return [];
    const names = users.map(({ name }) => name);
    return this.#parts.servers.with(first.server, account, ({ main }) => work(main, names));
  }
}

/** Ends a process, unless another one has its number by now. */
async function end(main: PostgresqlClient, { id, user }: DatabaseProcesses[number]): Promise<boolean> {
  const ended = await main.query(
    `select pg_terminate_backend(pid, ${END_MS}) from pg_stat_activity where pid = $1 and usename = $2`,
    [id, user],
  );
  return ended.length > 0;
}

async function readProcesses(main: PostgresqlClient, users: readonly string[]): Promise<DatabaseProcesses> {
  return main.query<DatabaseProcesses[number]>(
    `select pid as id, usename as "user", coalesce(host(client_addr), 'localhost') as client, coalesce(datname, '') as database,
        coalesce(state, '') as state, left(query, ${STATEMENT_CHARACTERS}) as statement,
        coalesce(extract(epoch from now() - case when state = 'active' then query_start else state_change end), 0)::int as seconds
      from pg_stat_activity where usename in (select json_array_elements_text($1::json))
      order by seconds desc, pid limit ${LISTED}`,
    [JSON.stringify(users)],
  );
}
