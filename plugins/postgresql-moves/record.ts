import type { PostgresqlServers } from '../../kernel/areas/database-servers.ts';
import type { MovedAccount } from '../../kernel/contract/points/move-part.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { dropDatabase } from '../../kernel/kit/databases/postgresql/databases.ts';
import { dropRole, type ServerConnections } from '../../kernel/kit/databases/postgresql/roles.ts';

export interface MoverParts {
  readonly servers: PostgresqlServers;
  readonly local: Host['local'];
}

/** A database or a user of an account that moves, or a user that is made for one dump. */
export interface Recorded {
  /** The name of the server in the settings. */
  readonly server: string;
  readonly kind: 'database' | 'temporary' | 'user';
  readonly name: string;
}

const WHERE = 'where account = ? and username = ? and direction = ?';

/** The databases and users of an account that leave this node or have come to it, recorded before each step. */
export class MoveRecord {
  readonly #parts: MoverParts;
  readonly #account: MovedAccount;
  readonly #direction: 'leaving' | 'arriving';

  constructor(parts: MoverParts, account: MovedAccount, direction: 'leaving' | 'arriving') {
    this.#parts = parts;
    this.#account = account;
    this.#direction = direction;
  }

  /** Resolves with databases first, since users may own something in them. */
  all(): Promise<Recorded[]> {
    return this.#parts.local.all(
      `select server, kind, name from postgresql_moves ${WHERE} order by kind, name`,
      ...this.#key,
    );
  }

  async names(kind: Recorded['kind']): Promise<Set<string>> {
    return new Set((await this.all()).filter((each) => each.kind === kind).map(({ name }) => name));
  }

  add(rows: readonly Recorded[]): Promise<void> {
    return this.#parts.local.write(async (tx) => {
      for (const { server, kind, name } of rows)
        await tx.run(
          `insert into postgresql_moves (account, username, direction, server, kind, name) values (?, ?, ?, ?, ?, ?)
            on conflict do nothing`,
          ...[...this.#key, server, kind, name],
        );
    });
  }

  async remove({ server, kind, name }: Recorded): Promise<void> {
    const sql = `delete from postgresql_moves ${WHERE} and server = ? and kind = ? and name = ?`;
    await this.#parts.local.write((tx) => tx.run(sql, ...this.#key, server, kind, name));
  }

  async clear(): Promise<void> {
    await this.#parts.local.write((tx) => tx.run(`delete from postgresql_moves ${WHERE}`, ...this.#key));
  }

  /** Drops what is recorded, unless it is gone, or those that `isMeant` is true for. */
  async drop(isMeant: (each: Recorded) => boolean = () => true): Promise<void> {
    const all = (await this.all()).filter(isMeant);
    for (const server of new Set(all.map((each) => each.server)))
      await this.#parts.servers.open(server, async (connections) => {
        for (const each of all.filter((one) => one.server === server)) {
          await drop(connections, each);
          await this.remove(each);
        }
      });
  }

  /** Runs `work`, which makes a user for one dump; the user is dropped after it, by the next run if this one is killed. */
  async withTemporary<T>(connections: ServerConnections, user: Recorded, work: () => Promise<T>): Promise<T> {
    await this.add([user]);
    try {
      return await work();
    } finally {
      await drop(connections, user);
      await this.remove(user);
    }
  }

  get #key(): [number, string, string] {
    return [this.#account.id, this.#account.username, this.#direction];
  }
}

const drop = (connections: ServerConnections, { kind, name }: Recorded): Promise<void> =>
  kind === 'database' ? dropDatabase(connections, name) : dropRole(connections, name);
