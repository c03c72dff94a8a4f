import { randomBytes } from 'node:crypto';
import { escapeControl } from '../../kernel/log.ts';
import type { Leaving, MovedAccount, MoveLink } from '../../kernel/contract/points/move-part.ts';
import type { DatabaseClient } from '../../kernel/areas/database-servers.ts';
import { identifier, userText, type UserName } from '../../kernel/kit/databases/mysql-text.ts';
import { dropMoved } from './dropping.ts';
import { readObjects, type MovedObject } from './contents/objects.ts';
import { MoveRecord, recordedDatabase, recordedUser, type Contents } from './record.ts';
import { isBefore, MoveServer, refused, type DatabaseMoveParts } from './server.ts';
import {
  readChecksums,
  readDefinition,
  tableDigest,
  readDatabases,
  type MovedDatabase,
  type MovedTable,
} from './contents/tables.ts';
import { assertProgram, dumped } from './tools.ts';
import { findUserFault, readUsers, type MovedUser } from './contents/users.ts';
import { whileThingsGo } from './contents/vanished.ts';
import { LOAD, type Requests } from './wire/wire.ts';
import { endConnections, lockUsers, TableLocks } from './window.ts';
import { fail } from './errors.ts';

/** The databases and users of an account on its server at one moment. */
interface Inventory {
  readonly databases: readonly MovedDatabase[];
  readonly objects: readonly MovedObject[];
  readonly users: readonly MovedUser[];
  /** Database users with further rights, who stay. */
  readonly leftOut: readonly UserName[];
}

const NONE: ReadonlyMap<string, readonly MovedTable[]> = new Map();
/** Tables in one stream. */
const TABLES_AT_ONCE = 200;

/** One run at the old home that takes an account's databases to the server of another node. */
export class LeavingDatabases implements Leaving {
  readonly #account: MovedAccount;
  readonly #link: MoveLink;
  readonly #record: MoveRecord;
  readonly #server: MoveServer | undefined;
  /** The same for what is to be done even if the run was aborted. */
  readonly #afterwards: MoveServer | undefined;
  /** Aborted when what runs now is to end. */
  #alive: AbortSignal;
  /** Whether something moves: not where there is nothing, or where both nodes reach one server. */
  #moves = false;
  #locks: TableLocks | undefined;
  #closed: readonly string[] = [];
  /** How tables were defined when they were sent, by database and name. */
  readonly #sent = new Map<string, string>();
  /** The contents that both ends had at the last comparison, by database. */
  readonly #contents = new Map<string, Contents>();

  constructor(parts: DatabaseMoveParts, account: MovedAccount, link: MoveLink) {
    this.#account = account;
    this.#link = link;
    this.#record = new MoveRecord(parts.local, account, 'leaving');
    this.#server = MoveServer.of(parts, account, link.signal);
    this.#afterwards = MoveServer.of(parts, account);
    this.#alive = link.signal;
  }

  begin(): Promise<void> {
    return this.#with(async (client, server) => {
      const own = await server.ownNames(client, this.#account);
      if (own.databases.length === 0 && !(await this.#hasUsers(client, server))) return;
      const { isSame, problem, version } = await this.#meet(client, server);
      if (isSame) {
        this.#link.say('both nodes reach the same database server: the databases stay where they are');
        return;
      }
      if (server.ownership === 'login')
        throw refused('the database server is of one account, and the other node does not reach it');
      if (problem !== undefined) throw refused(`the databases cannot move: the other node ${problem}`);
      if (isBefore(version ?? [], (await server.version(client)).slice(0, 2)))
        throw refused('the database server of the other node is older than the one here');
      await assertProgram('dump');
      const { leftOut } = await whileThingsGo(() => this.#read(client, server));
      if (leftOut.length > 0)
        this.#link.say(escapeControl(`database users with further rights stay: ${leftOut.map(userText).join(', ')}`));
      this.#moves = true;
    });
  }

  async copy(): Promise<void> {
    if (!this.#moves) return;
    await this.#with(async (client, server) => {
      const { objects, users } = await whileThingsGo(async () => {
        const found = await this.#read(client, server);
        const [databases, users] = [found.databases.length, found.users.length];
        this.#link.say(`copying ${counted(databases, 'database')} and ${counted(users, 'database user')}`);
        await this.#bring(client, server, found.databases);
        return found;
      });
      // to learn now what cannot be made there; events would run there, too
      await this.#ask('users', { users, isOpen: false });
      await this.#ask('objects', { objects: objects.filter(({ kind }) => kind !== 'event') });
    });
  }

  async close(): Promise<void> {
    if (!this.#moves) return;
    await this.#with(async (client, server) => {
      const { databases, users } = await whileThingsGo(() => this.#lock(client, server));
      const unlocked = users.filter(({ isLocked }) => !isLocked);
      await this.#bringLast(client, server, databases);
      await lockUsers(client, unlocked);
      await endConnections(client, users, this.#closed);
      const last = await this.#readLast(client, server, databases);
      if (JSON.stringify(last.users.map(userText)) !== JSON.stringify(users.map(userText)))
        throw refused('database users were made or dropped meanwhile: try again');
      const wereUnlocked = new Set(unlocked.map(userText));
      const asBefore = last.users.map((user) =>
        wereUnlocked.has(userText(user)) ? { ...user, isLocked: false } : user,
      );
      await this.#ask('users', { users: asBefore, isOpen: false });
      await this.#ask('objects', { objects: last.objects });
      await this.#ask('users', { users: asBefore, isOpen: true });
      for (const [name, contents] of this.#contents)
        await this.#record.keepContents(recordedDatabase(server.name, name), contents);
    });
  }

  async assertClosed(): Promise<void> {
    if (!this.#moves) return;
    await this.#locks?.assertHeld();
    if (this.#locks === undefined || (await this.#record.all()).length === 0)
      throw fail.databases_unavailable('the databases were opened again meanwhile');
  }

  async end(hasMoved: boolean): Promise<void> {
    const locks = this.#locks;
    this.#locks = undefined;
    if (locks === undefined) return;
    try {
      const after = this.#afterwards;
      if (hasMoved)
        await after?.with(async (client) => {
          this.#link.say('dropping the databases here');
          await locks.endOthers(client, this.#closed);
          await dropMoved(client, after, this.#record, { isForced: false, held: locks });
        });
    } finally {
      await locks.release();
    }
  }

  /** Records what is to be opened again or dropped, and locks all tables. */
  async #lock(client: DatabaseClient, server: MoveServer): Promise<Inventory> {
    const found = await this.#read(client, server);
    this.#closed = found.databases.map(({ name }) => name);
    await this.#record.add([
      ...this.#closed.map((name) => recordedDatabase(server.name, name)),
      ...found.users.map((user) => recordedUser(server.name, user, user.isLocked)),
    ]);
    this.#locks = await TableLocks.take(server, found.databases);
    return found;
  }

  /** Reads all once more, after the users have gone. They could make new tables until then: those are locked and brought now. */
  async #readLast(client: DatabaseClient, server: MoveServer, known: readonly MovedDatabase[]): Promise<Inventory> {
    const found = await this.#read(client, server);
    if (JSON.stringify(found.databases) === JSON.stringify(known)) return found;
    await this.#locks?.release();
    const last = await this.#lock(client, server);
    await this.#bringLast(client, server, last.databases);
    return last;
  }

  /** Brings the tables that differ, and compares again. Errors: 409 `move_refused` if they differ even then. */
  async #bringLast(client: DatabaseClient, server: MoveServer, databases: readonly MovedDatabase[]): Promise<void> {
    const left = await this.#locks?.whileReading(client, this.#closed, async () =>
      (await this.#bring(client, server, databases)) ? this.#differing(client, databases) : NONE,
    );
    const names = [...(left ?? [])].flatMap(([name, tables]) => tables.map((table) => `${name}.${table.name}`));
    if (names.length > 0) throw refused(`tables at the two nodes differ: ${names.join(', ')}`);
  }

  async #hasUsers(client: DatabaseClient, server: MoveServer): Promise<boolean> {
    if (server.ownership !== 'prefix') return false;
    return (await readUsers(client, await server.ownNames(client, this.#account))).users.length > 0;
  }

  /** Makes a database that nobody can know of, and has the other node look for it. */
  async #meet(client: DatabaseClient, server: MoveServer) {
    const { ownership } = server;
    const probe = `hostkeep_move_${randomBytes(12).toString('hex')}`;
    await client.query(`create database ${identifier(probe)}`);
    try {
      return await this.#ask('meet', { probe, ownership });
    } finally {
      await server.briefly((last) => last.query(`drop database ${identifier(probe)}`));
    }
  }

  /** Errors: 409 `move_refused` for what cannot move. */
  async #read(client: DatabaseClient, server: MoveServer): Promise<Inventory> {
    const own = await server.ownNames(client, this.#account);
    const { users, leftOut, obstacles: ofUsers } = await readUsers(client, own);
    const { databases, obstacles: ofTables } = await readDatabases(client, own.databases);
    const { objects, obstacles: ofObjects } = await readObjects(client, own.databases, new Set(users.map(userText)));
    const faults = users.map(findUserFault).filter((each) => each !== undefined);
    const obstacles = [...ofTables, ...ofObjects, ...ofUsers, ...faults];
    if (obstacles.length > 0) throw refused(`the databases have what cannot move: ${obstacles.join('; ')}`);
    return { databases, objects, users, leftOut };
  }

  /** Brings the tables that differ. Resolves with whether there are any. */
  async #bring(client: DatabaseClient, server: MoveServer, databases: readonly MovedDatabase[]): Promise<boolean> {
    const differing = await this.#differing(client, databases);
    const login = await server.login();
    for (const [name, tables] of differing)
      for (let at = 0; at < tables.length; at += TABLES_AT_ONCE) {
        const some = tables.slice(at, at + TABLES_AT_ONCE);
        for (const table of some) this.#sent.set(keyOf(name, table), await readDefinition(client, name, table));
        const names = some.map((table) => table.name);
        await this.#link.ask({ name: LOAD, about: name }, dumped(login, name, names, this.#alive));
      }
    return differing.size > 0;
  }

  /** Resolves with the tables, by database, whose contents are others at the target, or whose definition has changed since they were sent. */
  async #differing(
    client: DatabaseClient,
    databases: readonly MovedDatabase[],
  ): Promise<Map<string, readonly MovedTable[]>> {
    const [{ checksums }, here] = await Promise.all([
      this.#ask('align', { databases }),
      this.#checksumsOfSent(client, databases),
    ]);
    const differing = new Map<string, readonly MovedTable[]>();
    for (const [i, { name: database, tables }] of databases.entries()) {
      const there = new Map(Object.entries(checksums[i] ?? {}));
      const [contents, others]: [Contents[number][], MovedTable[]] = [[], []];
      for (const table of tables) {
        const checksum = here.get(database)?.get(table.name);
        const isSame = checksum !== undefined && checksum === there.get(table.name);
        const definition = isSame ? await readDefinition(client, database, table) : '';
        if (isSame && definition === this.#sent.get(keyOf(database, table)))
          contents.push([table.name, tableDigest(checksum, definition)]);
        else others.push(table);
      }
      this.#contents.set(database, contents);
      if (others.length > 0) differing.set(database, others);
    }
    return differing;
  }

  /** Of those alone: what was never sent is to be brought in any case. */
  async #checksumsOfSent(client: DatabaseClient, databases: readonly MovedDatabase[]) {
    const found = new Map<string, Map<string, string>>();
    for (const { name, tables } of databases) {
      const sent = tables.filter((table) => this.#sent.has(keyOf(name, table)));
      found.set(name, await readChecksums(client, { name, tables: sent }));
    }
    return found;
  }

  async #ask<N extends keyof Requests>(name: N, asked: Requests[N][0]): Promise<Requests[N][1]> {
    return (await this.#link.ask({ name }, JSON.stringify(asked))) as Requests[N][1];
  }

  /** Does nothing for an account whose databases are files. */
  async #with(work: (client: DatabaseClient, server: MoveServer) => Promise<void>): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    await server.with((client, signal) => {
      this.#alive = signal;
      return work(client, server);
    });
  }
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const keyOf = (database: string, { name }: MovedTable): string => `${database}\0${name}`;
