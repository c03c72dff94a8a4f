import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresqlItem } from '../../kernel/areas/database-servers.ts';
import type { Leaving, MovedAccount, MoveLink } from '../../kernel/contract/points/move-part.ts';
import { readAccess } from '../../kernel/kit/databases/postgresql/access.ts';
import type { PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import { inTransaction } from '../../kernel/kit/databases/postgresql/load.ts';
import { USERS } from '../../kernel/kit/databases/postgresql/names.ts';
import { readVersion, setLocked, type ServerConnections } from '../../kernel/kit/databases/postgresql/roles.ts';
import { identifier as id } from '../../kernel/kit/databases/postgresql/sql-text.ts';
import { fail } from './errors.ts';
import { digested, dumperFor, makeDumper, movedDump } from './moved-dump.ts';
import { MoveRecord, type MoverParts } from './record.ts';
import { refused, refusing } from './refusals.ts';
import { readSettings } from './settings.ts';
import { LOAD, readMeeting, type Meeting, type MovedUser, type Requests } from './wire.ts';

/** Until the sessions of its users have ended. */
const END_MS = 30_000;
const POLL_MS = 50;

/** The things of an account, by name. */
interface Inventory {
  readonly databases: readonly string[];
  readonly users: readonly string[];
}

/** One run at the old home that takes an account's databases and users to the server of another node. */
export class LeavingDatabases implements Leaving {
  readonly #parts: MoverParts;
  readonly #account: MovedAccount;
  readonly #link: MoveLink;
  readonly #record: MoveRecord;
  /** Where the databases are; `undefined` if nothing moves, since there is nothing, or both nodes reach one server. */
  #server: string | undefined;
  #closed: readonly PostgresqlItem[] = [];
  /** Digests of the databases as they were sent. */
  readonly #sent = new Map<string, string>();

  constructor(parts: MoverParts, account: MovedAccount, link: MoveLink) {
    this.#parts = parts;
    this.#account = account;
    this.#link = link;
    this.#record = new MoveRecord(parts, account, 'leaving');
  }

  begin(): Promise<void> {
    return refusing(async () => {
      await this.#record.drop(({ kind }) => kind === 'temporary'); // of a run that was killed
      const items = await this.#items();
      if (items.length === 0) return;
      const server = this.#serverFor(items);
      const { isSame, problem } = await this.#parts.servers.open(server, ({ main }) => this.#meet(main, server));
      if (problem !== '') throw refused(`the databases of PostgreSQL cannot move: the other node ${problem}`);
      if (!isSame) this.#server = server;
      else this.#link.say('both nodes reach the same server of PostgreSQL: the databases stay where they are');
    });
  }

  copy(): Promise<void> {
    return this.#with(async (connections, server) => {
      const found = named((await this.#items()).filter(({ kind, isChanging }) => kind === 'user' || !isChanging));
      const [databases, users] = [found.databases.length, found.users.length];
      this.#link.say(
        `copying ${databases} database${databases === 1 ? '' : 's'} and ${users} user${users === 1 ? '' : 's'} of PostgreSQL`,
      );
      await this.#bring(connections, server, found);
      await this.#giveAccess(connections, found, false);
    });
  }

  close(): Promise<void> {
    return this.#with(async (connections, server) => {
      this.#closed = await this.#unchanging();
      this.#serverFor(this.#closed);
      await this.#record.add(this.#closed);
      const found = named(this.#closed);
      for (const user of found.users) await setLocked(connections.main, user, true);
      await endSessions(connections.main, found.databases);
      await this.#bring(connections, server, found);
      await this.#giveAccess(connections, found, true);
    });
  }

  /** A request that was admitted before the account was closed may have made something since. */
  assertClosed(): Promise<void> {
    return this.#with(async ({ main }) => {
      const recorded = (await this.#record.all()).length;
      const isAsBefore = JSON.stringify(await this.#unchanging()) === JSON.stringify(this.#closed);
      const names = JSON.stringify(named(this.#closed).databases);
      if (recorded === this.#closed.length && isAsBefore && !(await hasSessions(main, names, '1'))) return;
      throw fail.databases_unavailable('the databases of PostgreSQL were opened again, or changed meanwhile');
    });
  }

  async end(): Promise<void> {}

  #items(): Promise<PostgresqlItem[]> {
    return this.#parts.servers.items(this.#account);
  }

  async #unchanging(): Promise<PostgresqlItem[]> {
    const items = await this.#items();
    const changing = items.filter(({ isChanging }) => isChanging).map(({ name }) => name);
    if (changing.length > 0) throw refused(`something is being done with ${changing.join(', ')}: try again`);
    return items;
  }

  /** Returns the server of all of them. Errors: 409 `move_refused`. */
  #serverFor(items: readonly PostgresqlItem[]): string {
    const server = this.#parts.servers.serverFor(this.#account.username);
    const elsewhere = items.find((item) => item.server !== server);
    if (server !== undefined && elsewhere === undefined) return server;
    throw refused(`${elsewhere?.name ?? ''} is not on the server of PostgreSQL that the settings have for the account`);
  }

  /** Makes a role that nobody can know of, and has the other node look for it. */
  async #meet(main: PostgresqlClient, server: string): Promise<Meeting> {
    const probe = `hostkeep-move-${randomBytes(12).toString('hex')}`;
    const version = await readVersion(main);
    await main.query(`create role ${id(probe)} nologin`);
    try {
      return readMeeting(await this.#ask('meet', { server, probe, version }));
    } finally {
      await main.query(`drop role ${id(probe)}`);
    }
  }

  /** Brings the users, and the databases that do not hold what they held when they were sent. */
  async #bring(connections: ServerConnections, server: string, { databases, users }: Inventory): Promise<void> {
    await this.#ask('prepare', { users: await readVerifiers(connections.main, users), databases });
    for (const database of databases) {
      const dumper = { server, kind: 'temporary', name: dumperFor(database) } as const;
      await this.#record.withTemporary(connections, dumper, async () => {
        const own = await makeDumper(connections, database, users);
        const login = { ...this.#parts.servers.login(server), ...own };
        const dump = () => movedDump(login, database, this.#link.signal);
        if (await this.#isAsSent(database, dump)) return;
        const sent = digested(dump(), (digest) => void this.#sent.set(database, digest));
        await this.#link.ask({ name: LOAD, about: database }, inTransaction(sent));
      });
    }
  }

  async #isAsSent(database: string, dump: () => AsyncIterable<Buffer>): Promise<boolean> {
    const before = this.#sent.get(database);
    if (before === undefined) return false;
    let now = '';
    for await (const chunk of digested(dump(), (digest) => void (now = digest))) void chunk;
    return now === before;
  }

  async #giveAccess({ main }: ServerConnections, { users, databases }: Inventory, isOpen: boolean): Promise<void> {
    const access = await readAccess(main, users, databases);
    await this.#ask('access', { access, settings: await readSettings(main, users, databases), isOpen });
  }

  #ask<N extends keyof Requests>(name: N, asked: Requests[N][0]): Promise<unknown> {
    return this.#link.ask({ name }, JSON.stringify(asked));
  }

  async #with(work: (connections: ServerConnections, server: string) => Promise<void>): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    await refusing(() => this.#parts.servers.open(server, (connections) => work(connections, server)));
  }
}

const named = (items: readonly PostgresqlItem[]): Inventory => {
  const of = (kind: PostgresqlItem['kind']) => items.filter((each) => each.kind === kind).map(({ name }) => name);
  return { databases: of('database'), users: of('user') };
};

function readVerifiers(main: PostgresqlClient, users: readonly string[]): Promise<MovedUser[]> {
  return main.query(
    `select rolname as name, rolpassword as verifier from pg_authid
      where rolname in (select json_array_elements_text($1::json)) order by rolname collate "C"`,
    [JSON.stringify(users)],
  );
}

/**
 * Ends the sessions of customers in these databases, and rejects while somebody could still change them: a session may have begun to log in
 * before its user was closed. Errors: 409 `move_refused`, 503 `databases_unavailable`.
 */
async function endSessions(main: PostgresqlClient, databases: readonly string[]): Promise<void> {
  const names = JSON.stringify(databases);
  const prepared = await main.query<{ name: string }>(
    'select distinct database as name from pg_prepared_xacts where database in (select json_array_elements_text($1::json))',
    [names],
  );
  if (prepared.length > 0)
    throw refused(`there are prepared transactions in ${prepared.map(({ name }) => name).join(', ')}`);
  for (const end = performance.now() + END_MS; performance.now() < end; await delay(POLL_MS))
    if (!(await hasSessions(main, names, 'pg_terminate_backend(pid, 1000)'))) return;
  throw fail.databases_unavailable("sessions of the account's database users do not end");
}

/** Evaluates an expression for each session of a customer in these databases. Resolves with whether there was one. */
async function hasSessions(main: PostgresqlClient, names: string, expression: string): Promise<boolean> {
  const sql = `select ${expression} from pg_stat_activity where datname in (select json_array_elements_text($1::json))
    and usesysid in (select m.member from pg_auth_members m join pg_roles g on g.oid = m.roleid where g.rolname = $2)`;
  return (await main.query(sql, [names, USERS])).length > 0;
}
