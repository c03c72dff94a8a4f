import type { PostgresqlItem } from '../../kernel/areas/database-servers.ts';
import type { Arrival, MovedAccount } from '../../kernel/contract/points/move-part.ts';
import { readAccess } from '../../kernel/kit/databases/postgresql/access.ts';
import type { PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import { dropDatabase, isTaken, makeDatabase } from '../../kernel/kit/databases/postgresql/databases.ts';
import { loadDump } from '../../kernel/kit/databases/postgresql/load.ts';
import { groupFor } from '../../kernel/kit/databases/postgresql/names.ts';
import {
  hasRole,
  makeUser,
  noDefaultPrivileges,
  readVersion,
  setLocked,
  setMembership,
  setPassword,
  type ServerConnections,
} from '../../kernel/kit/databases/postgresql/roles.ts';
import { scramVerifier } from '../../kernel/kit/databases/postgresql/scram.ts';
import { makeTemporaryUser } from '../../kernel/kit/databases/postgresql/temporary-user.ts';
import { newPassword } from '../../kernel/kit/new-password.ts';
import { readJson } from '../../kernel/kit/verb-arguments.ts';
import { dumperFor } from './moved-dump.ts';
import { MoveRecord, type MoverParts, type Recorded } from './record.ts';
import { refused, refusing } from './refusals.ts';
import { applySettings } from './settings.ts';
import { LOAD, READERS, type Meeting, type Requests } from './wire.ts';

type Asked<N extends keyof Requests> = Requests[N][0];
/** Of the number of a version, which changes with each release that keeps its data in another way. */
const MAJOR = 10_000;

/**
 * The databases and users of one account that come to this node. Their names are held against the store, which says what is the account's: the
 * other node cannot have anything else made or dropped.
 */
export class Arriving {
  readonly #parts: MoverParts;
  readonly #account: MovedAccount;
  readonly #record: MoveRecord;

  constructor(parts: MoverParts, account: MovedAccount) {
    this.#parts = parts;
    this.#account = account;
    this.#record = new MoveRecord(parts, account, 'arriving');
  }

  answer({ name, about = '', body, signal }: Arrival): Promise<unknown> {
    return refusing(async () => {
      const server = this.#parts.servers.serverFor(this.#account.username);
      const items = await this.#parts.servers.items(this.#account);
      if (name === 'meet') return this.#meet(server, items, READERS.meet(await readJson(body)));
      if (server === undefined) throw refused('this node has no server of PostgreSQL for the account');
      return this.#parts.servers.open(server, async (connections) => {
        const here = { server, items, connections };
        if (name === LOAD) return this.#load(here, about, { body, signal });
        if (name === 'prepare') return this.#prepare(here, READERS.prepare(await readJson(body)));
        if (name === 'access') return this.#giveAccess(here, READERS.access(await readJson(body)));
        throw refused(`databases of PostgreSQL know no request ${name}`);
      });
    });
  }

  async #meet(server: string | undefined, items: readonly PostgresqlItem[], asked: Asked<'meet'>): Promise<Meeting> {
    await this.#record.clear(); // of a move that is over: what this one has brought was discarded when it began
    if (server !== asked.server)
      return {
        isSame: false,
        problem: `has ${server ?? 'no server'} for the account in its settings, and not ${asked.server}`,
      };
    return this.#parts.servers.open(server, async ({ main }) => {
      if (await hasRole(main, asked.probe)) return { isSame: true, problem: '' };
      if (Math.floor((await readVersion(main)) / MAJOR) < Math.floor(asked.version / MAJOR))
        return { isSame: false, problem: 'has an older server than the one here' };
      for (const item of items)
        if (await isThere(main, item))
          return { isSame: false, problem: `has ${item.name} already, and nothing is overwritten` };
      return { isSame: false, problem: '' };
    });
  }

  async #prepare({ server, items, connections }: Here, { users, databases }: Asked<'prepare'>): Promise<null> {
    const names = users.map((user) => user.name);
    assertOwn(items, 'user', names);
    assertOwn(items, 'database', databases);
    const wanted = { user: names, database: databases, temporary: [] } as const;
    await this.#record.drop(({ kind, name }) => !wanted[kind].some((each) => each === name));
    for (const { name, verifier } of users) {
      await this.#claim(connections, { server, kind: 'user', name });
      const { main } = connections;
      if (!(await hasRole(main, name)))
        await makeUser(main, name, scramVerifier(newPassword()), this.#parts.servers.limits);
      await setLocked(main, name, true);
      await setPassword(main, name, verifier);
    }
    return null;
  }

  /** Makes a database in the place of what has come of it before, with the rights that its dump tells and no others. */
  async #load(
    { server, items, connections }: Here,
    database: string,
    { body, signal }: Pick<Arrival, 'body' | 'signal'>,
  ): Promise<null> {
    assertOwn(items, 'database', [database]);
    const { login, connectMs } = this.#parts.servers;
    await this.#claim(connections, { server, kind: 'database', name: database });
    await dropDatabase(connections, database);
    await makeDatabase(connections, database);
    const owners = groupFor(database, 'owner');
    await connections.inside(database, (client) => client.transaction(noDefaultPrivileges(owners, database)));
    const loader: Recorded = { server, kind: 'temporary', name: dumperFor(database) };
    await this.#record.withTemporary(connections, loader, async () => {
      const own = await makeTemporaryUser(connections, loader.name, { database, level: 'owner', seconds: 0 });
      const options = { database, connectMs, queryMs: 0, leftOut: leftOut(owners) };
      const chunks = body.iterator({ destroyOnReturn: false }); // who sends it is to be answered if a statement fails
      await loadDump({ ...login(server), ...own }, options, chunks, signal).catch((error: unknown) => {
        throw isRefusal(error) ? refused(`the database ${database} cannot be made: ${error.message}`, error) : error;
      });
    });
    return null;
  }

  async #giveAccess({ items, connections }: Here, { access, settings, isOpen }: Asked<'access'>): Promise<null> {
    const [users, databases] = [await this.#record.names('user'), await this.#record.names('database')];
    const foreign = [...access, ...settings].find(
      ({ user, database }) => !users.has(user) || !(databases.has(database) || database === ''),
    );
    if (foreign !== undefined) throw refused(`${foreign.user} and ${foreign.database} have not come`);
    const { main } = connections;
    const isMeant = (a: { user: string; database: string }) => (b: { user: string; database: string }) =>
      a.user === b.user && a.database === b.database;
    for (const each of await readAccess(main, [...users], [...databases]))
      if (!access.some(isMeant(each))) await setMembership(connections, each.user, each.database);
    for (const { user, database, level } of access) await setMembership(connections, user, database, level);
    const locked = new Set(items.filter(({ isLocked }) => isLocked).map(({ name }) => name));
    for (const user of users) {
      const own = settings.filter((each) => each.user === user);
      await applySettings(main, user, own);
      await setLocked(main, user, !isOpen || locked.has(user));
    }
    return null;
  }

  /** Records what is to be made. Errors: 409 `move_refused` if somebody else's is there. */
  async #claim({ main }: ServerConnections, item: Recorded): Promise<void> {
    if ((await this.#record.names(item.kind)).has(item.name)) return;
    if (await isThere(main, item)) throw refused(`there is ${item.name} already, and nothing is overwritten`);
    await this.#record.add([item]);
  }
}

interface Here {
  readonly server: string;
  readonly items: readonly PostgresqlItem[];
  readonly connections: ServerConnections;
}

function assertOwn(items: readonly PostgresqlItem[], kind: PostgresqlItem['kind'], names: readonly string[]): void {
  const foreign = names.find((name) => !items.some((item) => item.kind === kind && item.name === name));
  if (foreign !== undefined) throw refused(`the ${kind} ${foreign} is not the account's`);
}

const isThere = (main: PostgresqlClient, { kind, name }: Pick<Recorded, 'kind' | 'name'>): Promise<boolean> =>
  kind === 'database' ? isTaken(main, name) : hasRole(main, name);

/**
 * Statements of a dump that the owners of the database cannot run: rights are given by them here, whoever gave them there, and what
 * is to hold for what a user makes under its own name comes with its rights.
 */
const leftOut = (owners: string): RegExp[] => [
  /^(?:re)?set\s+session\s+authorization\b/i,
  new RegExp(`^alter\\s+default\\s+privileges\\s+for\\s+role\\s+(?!"${owners}"\\s)`, 'i'),
];

const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && (error as { readonly code?: unknown }).code === 'import_failed';
