import { countElsewhere } from '../../kernel/areas/database-servers.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountServers } from './server/account-servers.ts';
import { changeItem, makeItem } from './items/changes.ts';
import { databaseFail as fail } from '../../kernel/kit/databases/errors.ts';
import { assertGoesOn } from '../../kernel/kit/databases/size-limit.ts';
import type { Item, Items, Owner } from './items/items.ts';
import type { DatabaseList, DatabaseTables } from './schema.ts';
import { isTaken as isNameTaken, makeDatabase, readSizes } from '../../kernel/kit/databases/postgresql/databases.ts';
import { readTables } from '../../kernel/kit/databases/postgresql/tables.ts';
import { DATABASE_NAME_BYTES, RESERVED } from '../../kernel/kit/databases/postgresql/names.ts';
import type { Writing } from './writing/writing.ts';

/** See `ExtensionPoints.databasesElsewhere`. */
export const ENGINE = 'postgresql';

interface Parts extends Pick<Host, 'gather'> {
  readonly servers: AccountServers;
  readonly items: Items;
  readonly writing: Writing;
}

/** Lists, makes and drops the databases of accounts. */
export class Databases {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the databases, sorted by name. Errors: 503 `databases_unavailable`. */
  async list(account: Account): Promise<DatabaseList> {
    const { servers, items, writing } = this.#parts;
    const stage = await writing.stage(account);
    const shown = {
      ...{ limit: limitOf(account), prefix: prefixFor(account) },
      size_limit_mib: account.plan?.limits['postgresql_limit_mib'] ?? 0,
      ...{ is_writing_stopped: stage !== undefined, is_closed: stage === 'closed' },
    };
    const name = servers.nameFor(account);
    if (name === undefined) return { ...shown, databases: [], server: null };
    const names = (await items.list(account, 'database')).map((item) => item.name);
    const sizes = await servers.with(name, account, ({ main }) => readSizes(main, names));
    const databases = names.map((each) => ({ name: each, size_bytes: sizes.get(each) ?? null }));
    const { host, port } = servers.login(name);
    return { ...shown, databases, server: { host, port } };
  }

  /**
   * Resolves with the whole name. Errors: 400 `invalid_database_name`; 409 `database_exists`, `database_limit_reached`,
   * `database_size_limit_reached`, `databases_not_managed`.
   */
  async create(account: Account, suffix: string, ip: string): Promise<string> {
    const server = this.#parts.servers.requireFor(account);
    await assertGoesOn(this.#parts.writing, account);
    const name = wholeName(account, suffix, DATABASE_NAME_BYTES);
    const limit = limitOf(account);
    const isFull = () => fail.database_limit_reached(`the plan allows ${limit} database${limit === 1 ? '' : 's'}`);
    const isTaken = () => fail.database_exists(`the name ${name} is in use`);
    const item = { server, kind: 'database', name, limit, isFull, isTaken, ip } as const;
    await makeItem(this.#parts, account, item, {
      check: async ({ main }, count) => {
        if (limit > 0 && count + (await countElsewhere(this.#parts, account, ENGINE)) > limit) throw isFull();
        if (await isNameTaken(main, name)) throw isTaken();
      },
      make: (connections) => makeDatabase(connections, name),
    });
    return name;
  }

  /** Drops it with all that is in it, and the rights on it. Errors: 404 `database_not_found`, 409 `request_in_progress`. */
  async drop(account: Account, name: string, ip: string): Promise<void> {
    await changeItem(this.#parts, account, await this.find(account, name), { kind: 'drop', ip });
  }

  /** Resolves with the first tables and views. Errors: 404 `database_not_found`, 503 `databases_unavailable`. */
  async tables(account: Account, name: string): Promise<DatabaseTables> {
    const found = await this.find(account, name);
    return this.#parts.servers.with(found.server, account, (server) => server.inside(name, readTables));
  }

  /** Errors: 404 `database_not_found`, for a missing database and for another account's alike. */
  async find(account: Owner, name: string): Promise<Item> {
    const found = await this.#parts.items.find(account, 'database', name);
    if (found === undefined) throw fail.database_not_found('there is no such database');
    return found;
  }
}

export const prefixFor = ({ username }: Owner): string => `${username}_`;

const limitOf = ({ plan }: Account): number => plan?.limits['db_limit'] ?? 0;

/** Returns the name with the account's prefix. Errors: 400 `invalid_database_name`. */
export function wholeName(account: Owner, suffix: string, bytes: number): string {
  const prefix = prefixFor(account);
  const name = `${prefix}${suffix}`;
  if (Buffer.byteLength(name) > bytes)
    throw fail.invalid_database_name(
      `a name has at most ${bytes - Buffer.byteLength(prefix)} characters after ${prefix}`,
    );
  if (name.startsWith(RESERVED)) throw fail.invalid_database_name(`the server keeps names that begin with ${RESERVED}`);
  return name;
}
