import type { MovedAccount } from '../../../kernel/plugin-api/points/move-part.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import type { UserName } from './users.ts';

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
}

export const recordedDatabase = (server: string, name: string): Recorded => ({
  ...{ server, kind: 'database', name, host: '', wasLocked: false },
});

export const recordedUser = (server: string, { name, host }: UserName, wasLocked = false): Recorded => ({
  ...{ server, kind: 'user', name, host, wasLocked },
});

const WHERE = 'where account = ? and username = ? and direction = ?';

/** What of an account leaves this node, or has come to it. It is recorded before it is done. */
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
    const sql = `select server, kind, name, host, locked from database_moves ${WHERE} order by kind, name, host`;
    const rows = await this.#local.all<Omit<Recorded, 'wasLocked'> & { locked: number }>(sql, ...this.#key);
    return rows.map(({ locked, ...row }) => ({ ...row, wasLocked: locked === 1 }));
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
