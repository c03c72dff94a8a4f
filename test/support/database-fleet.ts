import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './command-pool.ts';
import { literal } from '../../kernel/kit/databases/mysql-text.ts';
import { TestFleet, type FleetMember } from './fleet.ts';
import { temporaryFolder } from './folder.ts';
import type { TestServer } from './hostkeep.ts';
import { MariaDb } from './mariadb.ts';

/** Of an operator who may do everything on both servers, by a password that is not easy to quote. */
const LOGIN = { user: 'operator', password: String.raw`a'b"#c\d \n` };

/** Two nodes of a fleet, each with a database server of its own. */
export class DatabaseFleet {
  readonly fleet: TestFleet;
  readonly one: FleetMember;
  readonly two: FleetMember;
  /** The servers of the two nodes. */
  readonly here: MariaDb;
  readonly there: MariaDb;
  first!: TestServer;
  second!: TestServer;
  readonly #settings = new Map<FleetMember, string>();

  private constructor(
    fleet: TestFleet,
    members: readonly [FleetMember, FleetMember],
    servers: readonly [MariaDb, MariaDb],
  ) {
    this.fleet = fleet;
    [this.one, this.two] = members;
    [this.here, this.there] = servers;
  }

  static async start(schema: string): Promise<DatabaseFleet> {
    const servers = await Promise.all([MariaDb.start(), MariaDb.start()]);
    for (const server of servers)
      for (const host of ['localhost', '127.0.0.1'])
        await server.sql(
          `create user operator@${host} identified by ${literal(LOGIN.password)}; grant all on *.* to operator@${host} with grant option`,
        );
    const { fleet, one, two } = await TestFleet.pair(schema);
    const made = new DatabaseFleet(fleet, [one, two], servers);
    made.first = await made.serve(one);
    made.second = await made.serve(two);
    await fleet.areUp(one);
    return made;
  }

  /**
   * Serves a node whose accounts have their databases on its own server. Those of `sam` are on that of the first node; those of
   * `gil` are found by grants, and those of `lou` are all of a server.
   */
  serve(at: FleetMember): Promise<TestServer> {
    const [here, there] = [
      { socket: this.here.socket, ...LOGIN },
      { host: 'localhost', port: this.there.port, ...LOGIN },
    ];
    const own = at === this.one ? here : there;
    const servers = {
      ...{ own, both: here },
      granted: { ...own, ownership: 'grants' },
      alone: { ...own, ownership: 'login' },
    };
    const accounts = { sam: 'both', gil: 'granted', lou: 'alone' };
    const databases = { servers, default_server: 'own', accounts, refresh_seconds: 0.1 };
    const file = join(temporaryFolder(), 'settings.json');
    writeFileSync(file, JSON.stringify({ databases }));
    this.#settings.set(at, file);
    return this.fleet.serve(at, undefined, { databases });
  }

  /** Runs `account move` at a node. */
  move(at: FleetMember, ...args: readonly string[]): Promise<Outcome> {
    return this.fleet.run(at.data, [...this.argsOf(at), ...args]);
  }

  argsOf(at: FleetMember): string[] {
    return ['--config', this.#settings.get(at) ?? '', 'account', 'move'];
  }

  /** An account with a database `<name>_a` of so many megabytes on the first server, and a database user of its name. */
  async customer(name: string, megabytes: number): Promise<void> {
    await this.first.user(name);
    await this.here.sql(`
      create database ${name}_a; create table ${name}_a.large (id int primary key, body longblob);
      insert into ${name}_a.large select seq, repeat('x', 1000000) from ${name}_a.seq_1_to_${megabytes};
      create table ${name}_a.notes (n int primary key);
      create user ${name}@localhost identified by 'secret'; grant all on \`${name}\\_%\`.* to ${name}@localhost;
    `);
  }

  async homeOf(name: string): Promise<string> {
    return (await this.first.hostkeep.core.accounts.get(name)).home;
  }

  movesLeft(): Promise<{ username: string }[]> {
    return this.first.hostkeep.core.store.all('select username from moves');
  }

  /** How far the move of an account is; `undefined` if there is none. */
  async stateOf(name: string): Promise<string | undefined> {
    const sql = 'select state from moves where username = ?';
    return (await this.first.hostkeep.core.store.get<{ state: string }>(sql, name))?.state;
  }

  /** What the first node has locked for moves, by name. */
  async closed(): Promise<string[]> {
    const sql = "select name from database_moves where direction = 'leaving' order by name";
    return (await this.first.hostkeep.core.local.all<{ name: string }>(sql)).map(({ name }) => name);
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await Promise.all([this.here.remove(), this.there.remove()]);
  }
}

/** Writes to the database of such an account, as its user unless another is named, and resolves with how many notes there are. */
export const write = (at: MariaDb, name: string, n: number, user = name): Promise<string> =>
  at.query(user, 'secret', `insert into ${name}_a.notes values (${n}); select count(*) from ${name}_a.notes`);

export const has = async (at: MariaDb, name: string): Promise<boolean> =>
  (await at.sql(`select count(*) from information_schema.schemata where schema_name = '${name}_a'`)) === '1\n';
