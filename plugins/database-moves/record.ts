import type { MovedAccount } from '../../kernel/contract/points/move-part.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { UserName } from '../../kernel/kit/databases/mysql-text.ts';

type Direction = 'leaving' | 'arriving';

/** A database, or a database user, of an account that moves. */
export interface Recorded {
  /** The name of the server in the settings. */
  readonly server: string;
  readonly kind: 'database' | 'user';
  readonly name: string;
  /** Empty for a database. */
  readonly host: string;
  /** Whether the operator had locked the user before. */
  readonly wasLocked: boolean;
  /** The contents of each table of a leaving database at the last comparison, by name; see `readContents`. */
  readonly contents: Contents;
}
export type Contents = readonly (readonly [table: string, digest: string])[];

export const recordedDatabase = (server: string, name: string): Recorded => ({
  ...{ server, kind: 'database', name, host: '', wasLocked: false, contents: [] },
});

export const recordedUser = (server: string, { name, host }: UserName, wasLocked = false): Recorded => ({
  ...{ server, kind: 'user', name, host, wasLocked, contents: [] },
});

const WHERE = 'where account = ? and username = ? and direction = ?';

/** The databases and users of an account that leave this node or have come to it, recorded before each step. */
export class MoveRecord {
  readonly #local: Host['local'];
  readonly #account: MovedAccount;
  readonly #direction: Direction;

  constructor(local: Host['local'], account: MovedAccount, direction: Direction) {
    this.#local = local;
    this.#account = account;
    this.#direction = direction;
  }

  async all(): Promise<Recorded[]> {
    const rows = await this.#local.all<Omit<Recorded, 'wasLocked' | 'contents'> & { locked: number; contents: string }>(
      `select server, kind, name, host, locked, contents from database_moves ${WHERE} order by kind, name, host`,
      ...this.#key,
    );
    return rows.map(({ locked, contents, ...row }) => ({
      ...row,
      wasLocked: locked === 1,
      contents: JSON.parse(contents) as Contents,
    }));
  }

  add(rows: readonly Recorded[]): Promise<void> {
    const { id, username } = this.#account;
    return this.#local.write(async (tx) => {
      for (const { server, kind, name, host, wasLocked } of rows)
        await tx.run(
          `insert into database_moves (account, username, direction, server, kind, name, host, locked)
            values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
          ...[id, username, this.#direction, server, kind, name, host, Number(wasLocked)],
        );
    });
  }

  /** Keeps what a database held when it was compared last. */
  async keepContents({ server, name }: Pick<Recorded, 'server' | 'name'>, contents: Contents): Promise<void> {
    const sql = `update database_moves set contents = ? ${WHERE} and server = ? and kind = 'database' and name = ?`;
    await this.#local.write((tx) => tx.run(sql, JSON.stringify(contents), ...this.#key, server, name));
  }

  async remove({ server, kind, name, host }: Recorded): Promise<void> {
    const sql = `delete from database_moves ${WHERE} and server = ? and kind = ? and name = ? and host = ?`;
    await this.#local.write((tx) => tx.run(sql, ...this.#key, server, kind, name, host));
  }

  async clear(): Promise<void> {
    await this.#local.write((tx) => tx.run(`delete from database_moves ${WHERE}`, ...this.#key));
  }

  get #key(): [number, string, Direction] {
    return [this.#account.id, this.#account.username, this.#direction];
  }
}
