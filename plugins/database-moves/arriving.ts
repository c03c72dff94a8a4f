import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../kernel/errors.ts';
import type { Arrival, MovedAccount } from '../../kernel/contract/points/move-part.ts';
import type { DatabaseClient } from '../../kernel/areas/database-servers.ts';
import { identifier, literal, quotedInPattern, quotedUser, userText } from '../../kernel/kit/databases/mysql-text.ts';
import { readJson } from '../../kernel/kit/verb-arguments.ts';
import { drop } from './dropping.ts';
import { assertDefiner, dropObjects, makeObjects } from './contents/objects.ts';
import { READERS } from './wire/incoming.ts';
import { MoveRecord, recordedDatabase, recordedUser, type Recorded } from './record.ts';
import { MoveServer, refused, type DatabaseMoveParts } from './server.ts';
import { readChecksums, dropTables, readDatabases, type MovedDatabase, type MovedTable } from './contents/tables.ts';
import { assertProgram, load } from './tools.ts';
import { findUserFault, makeUser } from './contents/users.ts';
import { LOAD, type Alignment, type Meeting, type Requests } from './wire/wire.ts';

type Asked<N extends keyof Requests> = Requests[N][0];

/** The databases of one account that come to this node. */
export class Arriving {
  readonly #parts: DatabaseMoveParts;
  readonly #account: MovedAccount;
  readonly #record: MoveRecord;

  constructor(parts: DatabaseMoveParts, account: MovedAccount) {
    this.#parts = parts;
    this.#account = account;
    this.#record = new MoveRecord(parts.local, account, 'arriving');
  }

  async answer({ name, about = '', body, signal }: Arrival): Promise<unknown> {
    const server = MoveServer.of(this.#parts, this.#account, signal);
    if (name === 'meet') return this.#meet(server, READERS.meet(await readJson(body)));
    if (server === undefined) throw refused('this node has no database server for the account');
    return server.with(async (client, alive) => {
      if (name === LOAD) return this.#load(client, server, about, { body, signal: alive });
      if (name === 'align') return this.#align(client, server, READERS.align(await readJson(body)));
      if (name === 'objects') return this.#makeObjects(client, server, READERS.objects(await readJson(body)));
      if (name === 'users') return this.#makeUsers(client, server, READERS.users(await readJson(body)));
      throw refused(`databases know no request ${name}`);
    });
  }

  /** Drops what has come, and nothing else. */
  async discard(): Promise<void> {
    for (const each of await this.#record.all()) {
      const server = MoveServer.named(this.#parts, each.server);
      if (server === undefined) throw refused(`the settings have the database server ${each.server} no more`);
      await server.with((client) => drop(client, each));
      await this.#record.remove(each);
    }
  }

  async #meet(server: MoveServer | undefined, { probe, ownership }: Asked<'meet'>): Promise<Meeting> {
    await this.#record.clear(); // of a move that is over: what this one has brought was discarded when it began
    if (server === undefined) return { isSame: false, problem: 'has no database server for it' };
    return server.with(async (client) => {
      const found = await client.query('select 1 from information_schema.schemata where schema_name = ?', [probe]);
      if (found.length > 0) return { isSame: true };
      try {
        if (server.ownership !== ownership)
          throw refused(`finds databases by ${server.ownership} there, and by ${ownership} here`);
        const version = await server.version(client);
        await assertProgram('load');
        const { databases } = await server.ownNames(client, this.#account);
        if (databases.length > 0)
          throw refused(`has databases of it already, and nothing is overwritten: ${databases.join(', ')}`);
        return { isSame: false, version };
      } catch (error) {
        return { isSame: false, problem: errorMessage(error) };
      }
    });
  }

  async #align(client: DatabaseClient, server: MoveServer, { databases }: Asked<'align'>): Promise<Alignment> {
    const record = await this.#recorded('database');
    const names = databases.map(({ name }) => name);
    const own = await server.ownNames(client, this.#account);
    for (const name of record.map((each) => each.name).filter((each) => !names.includes(each)))
      await client.query(`drop database if exists ${identifier(name)}`);
    const checksums: Record<string, string>[] = [];
    for (const database of databases) {
      const { name, charset, collation } = database;
      if (!own.allows(name)) throw refused(`the database ${name} would not be the account's here`);
      if (!record.some((each) => each.name === name)) {
        await this.#assertNew(client, name);
        await this.#record.add([recordedDatabase(server.name, name)]);
      }
      await client.query(`create database if not exists ${identifier(name)}`);
      const settings = `character set ${literal(charset)} collate ${literal(collation)}`;
      await client.query(`alter database ${identifier(name)} ${settings}`);
      checksums.push(await this.#compare(client, server, database));
    }
    return { checksums };
  }

  async #assertNew(client: DatabaseClient, name: string): Promise<void> {
    const sql = 'select 1 from information_schema.schemata where schema_name in (?)';
    if ((await client.query(sql, [[Buffer.from(name)]])).length > 0)
      throw refused(`there is a database ${name} already, and nothing is overwritten`);
  }

  /** Drops the tables that are not named. */
  async #compare(
    client: DatabaseClient,
    server: MoveServer,
    { name, tables }: MovedDatabase,
  ): Promise<Record<string, string>> {
    const [here] = (await readDatabases(client, [name])).databases;
    const wanted = new Map(tables.map((table) => [table.name, table]));
    const isAlike = (table: MovedTable) => wanted.get(table.name)?.isSequence === table.isSequence;
    const [alike, others] = [here?.tables.filter(isAlike) ?? [], here?.tables.filter((each) => !isAlike(each)) ?? []];
    if (others.length > 0) await server.with((single) => dropTables(single, name, others), 1);
    return Object.fromEntries(await readChecksums(client, { name, tables: alike }));
  }

  async #load(
    client: DatabaseClient,
    server: MoveServer,
    database: string,
    { body, signal }: Pick<Arrival, 'body' | 'signal'>,
  ): Promise<null> {
    const record = await this.#recorded('database');
    if (!record.some(({ name }) => name === database)) throw refused(`there is no database ${database} to load`);
    await this.#asLoader(client, server, '', async (login) => {
      await load({ ...(await server.login()), ...login }, database, body, signal);
    });
    return null;
  }

  async #makeObjects(client: DatabaseClient, server: MoveServer, { objects }: Asked<'objects'>): Promise<null> {
    const databases = (await this.#recorded('database')).map(({ name }) => name);
    const definers = new Set((await this.#recorded('user')).map(userText));
    for (const object of objects) {
      assertDefiner(object);
      if (!definers.has(object.definer) || !databases.includes(object.database))
        throw refused(`the ${object.kind} ${object.database}.${object.name} is not the account's`);
    }
    for (const name of databases) await dropObjects(client, name);
    await this.#asLoader(client, server, 'set user', (login) =>
      server.with((single) => makeObjects(single, objects), 1, login),
    );
    return null;
  }

  async #makeUsers(client: DatabaseClient, server: MoveServer, { users, isOpen }: Asked<'users'>): Promise<null> {
    const record = await this.#recorded('user');
    const databases = (await this.#recorded('database')).map(({ name }) => name);
    const brought = (await server.ownNames(client, this.#account)).withDatabases(databases);
    for (const user of users) {
      const fault = findUserFault(user);
      if (fault !== undefined) throw refused(fault);
      const foreign = user.grants.find(({ database, object }) => {
        const { patterns } = brought.readGrant(database, object === undefined, databases);
        return patterns === undefined || (object === undefined && patterns.join() !== database);
      });
      if (foreign !== undefined) throw refused(`${userText(user)} has rights on ${foreign.database}`);
      if (record.some((each) => userText(each) === userText(user))) continue;
      const there = await client.query('select 1 from mysql.global_priv where user = ? and host = ?', [
        Buffer.from(user.name),
        Buffer.from(user.host),
      ]);
      if (there.length > 0)
        throw refused(`there is a database user ${userText(user)} already, and nothing is overwritten`);
      await this.#record.add([recordedUser(server.name, user)]);
    }
    const wanted = new Set(users.map(userText));
    for (const gone of record.filter((each) => !wanted.has(userText(each)))) {
      await drop(client, gone);
      await this.#record.remove(gone);
    }
    for (const user of users) await makeUser(client, user, isOpen);
    return null;
  }

  /** Runs `work` with the login of a user who has rights on what has come, and on nothing else. */
  async #asLoader(
    client: DatabaseClient,
    server: MoveServer,
    more: string,
    work: (login: { readonly user: string; readonly password: string }) => Promise<void>,
  ): Promise<void> {
    const [at] = await client.query<{ host: string }>("select substring_index(user(), '@', -1) as host");
    const login = { user: `hostkeep_${randomBytes(8).toString('hex')}`, password: newPassword() };
    const loader = recordedUser(server.name, { name: login.user, host: at?.host ?? '' });
    await this.#record.add([loader]);
    try {
      await client.query(`create user ${quotedUser(loader)} identified by ${literal(login.password)}`);
      for (const { name } of await this.#recorded('database'))
        await client.query(`grant all on ${identifier(quotedInPattern(name))}.* to ${quotedUser(loader)}`);
      if (more !== '') await client.query(`grant ${more} on *.* to ${quotedUser(loader)}`);
      await work(login);
    } finally {
      await server.briefly((last) => drop(last, loader));
      await this.#record.remove(loader);
    }
  }

  async #recorded(kind: Recorded['kind']): Promise<Recorded[]> {
    return (await this.#record.all()).filter((each) => each.kind === kind);
  }
}

/** With characters of all kinds that a server may ask for. */
const newPassword = (): string => `${randomBytes(24).toString('base64url')}aA1-`;
