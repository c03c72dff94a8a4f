import type { Host } from '../../kernel/contract/plugin.ts';
import { inTurn } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { LoginEntry } from './server/login-entry.ts';
import type { SftpVerbs } from './server/sftp-verbs.ts';
import type { SftpConfig } from './schema.ts';
import type { StoredLogin } from './store.ts';

/** The logins of accounts, as ProFTPD has them at this node. */
export class AccountLogins {
  readonly #host: Host<SftpConfig>;
  readonly verbs: SftpVerbs;

  constructor(host: Host<SftpConfig>, verbs: SftpVerbs) {
    this.#host = host;
    this.verbs = verbs;
  }

  /** Whether customers may log in to an account at this node now. */
  isOpen(account: Account | undefined): account is Account {
    return this.#host.identity.accounts.isOpenHere(account) && account.features.has('ftp');
  }

  /** Puts logins in place, also such as are not stored yet. Resolves with the names of those whose folder is none. */
  async put({ id, username }: Account, logins: readonly StoredLogin[]): Promise<readonly string[]> {
    const missing = await this.verbs.put({ account: { id, username }, logins: logins.map(loginEntry) });
    // it may have been suspended, removed or closed for its move meanwhile
    if (!this.isOpen(await this.#host.identity.accounts.byUsername(username))) await this.verbs.remove(id);
    return missing;
  }

  /** Runs changes of all accounts' files one after another, in all workers: the file of logins is one. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    return inTurn(this.#host.workers, 'sftp', change);
  }
}

export function loginEntry({ name, secret, folder, keys }: StoredLogin): LoginEntry {
  return { name, secret, folder, keys: keys.map(({ blob }) => blob) };
}
