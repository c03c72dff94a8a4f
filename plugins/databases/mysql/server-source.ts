import type { Account, Accounts } from '../../../kernel/identity/accounts.ts';
import { AccountCache } from '../../../kernel/concurrency/account-cache.ts';
import { isAmbiguous, withoutThoseOf, type ServerCatalogue } from './server-catalogue.ts';
import type { DatabaseServer, ServerSnapshot } from './database-server.ts';
import { AccountDatabases, type Database } from '../account-databases.ts';

/** Where the databases of an account are. Errors of `databasesOf`: 503 `databases_unavailable`. */
export interface DatabaseSource {
  /** Without a promise where it is known. */
  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases>;
}

/** How long a new account may go unseen whose name begins with another's. */
const NAMES_MS = 5000;
const PAGE = 100;

/** Databases on a server that is asked for all its accounts together. */
export class ServerSource implements DatabaseSource {
  readonly #server: DatabaseServer;
  readonly #databaseUser: string;
  readonly #accounts: Accounts;
  readonly #longerNames = new AccountCache<string[]>(NAMES_MS);
  readonly #views = new WeakMap<ServerSnapshot, WeakMap<Account, AccountDatabases>>();

  constructor(server: DatabaseServer, databaseUser: string, accounts: Accounts) {
    this.#server = server;
    this.#databaseUser = databaseUser;
    this.#accounts = accounts;
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    const sample = this.#server.sample();
    return sample instanceof Promise
      ? sample.then((taken) => this.#viewIn(taken, account))
      : this.#viewIn(sample, account);
  }

  #viewIn(sample: ServerSnapshot, account: Account): AccountDatabases | Promise<AccountDatabases> {
    const kept = this.#views.get(sample)?.get(account);
    if (kept !== undefined) return kept;
    const own = this.#ownIn(sample.catalogue, account);
    return own instanceof Promise
      ? own.then((databases) => this.#keep(sample, account, databases))
      : this.#keep(sample, account, own);
  }

  #keep(sample: ServerSnapshot, account: Account, own: readonly Database[]): AccountDatabases {
    const view = new AccountDatabases(own, sample.catalogue.system, sample.takenAt);
    const views = this.#views.get(sample) ?? new WeakMap<Account, AccountDatabases>();
    this.#views.set(sample, views.set(account, view));
    return view;
  }

  #ownIn(catalogue: ServerCatalogue, account: Account): readonly Database[] | Promise<readonly Database[]> {
    const { username } = account;
    if (this.#server.ownership === 'login') return catalogue.others;
    if (this.#server.ownership === 'grants')
      return catalogue.granted(this.#databaseUser.replaceAll('{username}', username));
    const own = catalogue.prefixed(username);
    if (!own.some((database) => isAmbiguous(username, database))) return own;
    const longer = this.#longerNames.get(account, '', () => this.#namesBelow(username));
    return longer instanceof Promise ? longer.then((names) => withoutThoseOf(names, own)) : withoutThoseOf(longer, own);
  }

  /** User names that begin with `<username>_`, which are one range in the order of names: `^` is the character before `_`. */
  async #namesBelow(username: string): Promise<string[]> {
    const names: string[] = [];
    for (let cursor = `${username}^`; ; cursor = names.at(-1) ?? cursor) {
      const page = await this.#accounts.list(PAGE, cursor);
      const below = page.map((each) => each.username).filter((name) => name.startsWith(`${username}_`));
      names.push(...below);
      if (below.length < PAGE) return names;
    }
  }
}
