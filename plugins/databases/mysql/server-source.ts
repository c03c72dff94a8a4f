import { AccountCache } from '../../../kernel/kit/waiting/account-cache.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import { AccountDatabases, type DatabaseSource } from '../account-databases.ts';
import type { DatabaseServer, ServerSnapshot } from './database-server.ts';
import { isAmbiguous, withoutLongerNames, type ListedDatabase, type ServerCatalogue } from './server-catalogue.ts';

/** How long longer names are kept: none is added any more, but some may be left from before. */
const NAMES_MS = 5000;
/** System databases hardly grow. */
const SYSTEM_REST_MS = 60_000;

/** The databases of accounts on one server. */
export class ServerSource implements DatabaseSource {
  readonly #server: DatabaseServer;
  readonly #databaseUser: string;
  readonly #accounts: Accounts;
  readonly #longerNames = new AccountCache<string[]>(NAMES_MS);
  readonly #kept = new WeakMap<ServerSnapshot, WeakMap<Account, AccountDatabases | Promise<AccountDatabases>>>();

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
    return this.#kept.get(snapshot)?.get(account) ?? this.#find(snapshot, account);
  }

  #find(snapshot: ServerSnapshot, account: Account): AccountDatabases | Promise<AccountDatabases> {
    const kept = this.#kept.get(snapshot) ?? new WeakMap<Account, AccountDatabases | Promise<AccountDatabases>>();
    this.#kept.set(snapshot, kept);
    const own = this.#ownIn(snapshot.catalogue, account);
    const databases =
      own instanceof Promise
        ? own.then((listed) => this.#complete(snapshot, account, listed))
        : this.#complete(snapshot, account, own);
    kept.set(account, databases);
    if (databases instanceof Promise)
      databases.then(
        (known) => kept.set(account, known),
        () => kept.delete(account),
      );
    return databases;
  }

  /** Adds the sizes of tables that the listing does not show; a promise only where some are to be measured. */
  #complete(
    { catalogue: { system }, takenAt }: ServerSnapshot,
    { id }: Account,
    own: readonly ListedDatabase[],
  ): AccountDatabases | Promise<AccountDatabases> {
    const { tables } = this.#server;
    const complete = () =>
      new AccountDatabases(
        own.map((database) => tables.complete(database)),
        system.map((database) => tables.complete(database)),
        takenAt,
      );
    const measured = [tables.refresh(id, own), tables.refresh('', system, SYSTEM_REST_MS)].filter(
      (each) => each !== undefined,
    );
    return measured.length === 0 ? complete() : Promise.all(measured).then(complete);
  }

  #ownIn(
    catalogue: ServerCatalogue<ListedDatabase>,
    account: Account,
  ): readonly ListedDatabase[] | Promise<readonly ListedDatabase[]> {
    const { username } = account;
    if (this.#server.ownership === 'login') return catalogue.others;
    if (this.#server.ownership === 'grants')
      return catalogue.granted(this.#databaseUser.replaceAll('{username}', username));
    const own = catalogue.prefixed(username);
    if (!own.some((database) => isAmbiguous(username, database))) return own;
    const longer = this.#longerNames.get(account, '', () => this.#accounts.namesExtending(username));
    return longer instanceof Promise
      ? longer.then((names) => withoutLongerNames(names, own))
      : withoutLongerNames(longer, own);
  }
}
