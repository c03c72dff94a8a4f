import { AccountCache } from '../../../kernel/concurrency/account-cache.ts';
import type { Account, Accounts } from '../../../kernel/identity/accounts.ts';
import { AccountDatabases, type Database, type DatabaseSource } from '../account-databases.ts';
import type { DatabaseServer, ServerSnapshot } from './database-server.ts';
import { isAmbiguous, withoutThoseOf, type ServerCatalogue } from './server-catalogue.ts';

/** How long longer names are kept: none is added any more, but some may be left from before. */
const NAMES_MS = 5000;

/** The databases of accounts on one server. */
export class ServerSource implements DatabaseSource {
  readonly #server: DatabaseServer;
  readonly #databaseUser: string;
  readonly #accounts: Accounts;
  readonly #longerNames = new AccountCache<string[]>(NAMES_MS);
  readonly #kept = new WeakMap<ServerSnapshot, WeakMap<Account, AccountDatabases>>();

  constructor(server: DatabaseServer, databaseUser: string, accounts: Accounts) {
    this.#server = server;
    this.#databaseUser = databaseUser;
    this.#accounts = accounts;
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    const snapshot = this.#server.snapshot();
    return snapshot instanceof Promise
      ? snapshot.then((taken) => this.#databasesIn(taken, account))
      : this.#databasesIn(snapshot, account);
  }

  #databasesIn(snapshot: ServerSnapshot, account: Account): AccountDatabases | Promise<AccountDatabases> {
    const kept = this.#kept.get(snapshot)?.get(account);
    if (kept !== undefined) return kept;
    const own = this.#ownIn(snapshot.catalogue, account);
    return own instanceof Promise
      ? own.then((databases) => this.#keep(snapshot, account, databases))
      : this.#keep(snapshot, account, own);
  }

  #keep(snapshot: ServerSnapshot, account: Account, own: readonly Database[]): AccountDatabases {
    const databases = new AccountDatabases(own, snapshot.catalogue.system, snapshot.takenAt);
    const byAccount = this.#kept.get(snapshot) ?? new WeakMap<Account, AccountDatabases>();
    this.#kept.set(snapshot, byAccount.set(account, databases));
    return databases;
  }

  #ownIn(catalogue: ServerCatalogue, account: Account): readonly Database[] | Promise<readonly Database[]> {
    const { username } = account;
    if (this.#server.ownership === 'login') return catalogue.others;
    if (this.#server.ownership === 'grants')
      return catalogue.granted(this.#databaseUser.replaceAll('{username}', username));
    const own = catalogue.prefixed(username);
    if (!own.some((database) => isAmbiguous(username, database))) return own;
    const longer = this.#longerNames.get(account, '', () => this.#accounts.namesExtending(username));
    return longer instanceof Promise ? longer.then((names) => withoutThoseOf(names, own)) : withoutThoseOf(longer, own);
  }
}
