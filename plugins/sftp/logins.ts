import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { clientPath, pathComponents } from '../../kernel/kit/files/client-path.ts';
import { newPassword } from '../../kernel/kit/new-password.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import type { EventInput } from '../../kernel/store/events/audit-log.ts';
import type { AccountLogins } from './account-logins.ts';
import { fail } from './errors.ts';
import type assertFolder from './folder-job.ts';
import { hashPassword } from './passwords.ts';
import { readPublicKeyLine, Unusable } from './public-key.ts';
import type { KeptLogin, NewSftpLogin, SftpConfig } from './schema.ts';
import { isUsableComponent, MOST_KEYS, MOST_LOGINS, SUFFIX } from './server/login-entry.ts';
import { listLogins, putLogins, type StoredKey, type StoredLogin } from './store.ts';

/** A login, and its password where one was made. */
export interface Made {
  readonly login: StoredLogin;
  readonly password: string | null;
}
/** Who asks. */
export interface Asking {
  readonly account: Account;
  readonly ip: string;
}
/** Of the event that is recorded with a change. */
type Told = Omit<EventInput, 'account' | 'ip'>;

const FOLDER = defineJob<typeof assertFolder>({
  beside: import.meta.url,
  script: 'folder-job',
  timeoutMs: 5000,
  tooMuch: 'files_unavailable',
});
const AT_KEY = { path: '/public_key' };

/** The logins of accounts: each change is in place before it is stored, and stored only if it is. */
export class Logins {
  readonly #host: Host<SftpConfig>;
  readonly #logins: AccountLogins;

  constructor(host: Host<SftpConfig>, logins: AccountLogins) {
    this.#host = host;
    this.#logins = logins;
  }

  /** Returns the logins of an account by name. */
  list(account: Account): Promise<StoredLogin[]> {
    return listLogins(this.#host.store, account.id);
  }

  /**
   * Errors: 400 `invalid_login_name`, `invalid_path`, `invalid_public_key`; 403 `ssh_keys_disabled`; 404 `folder_not_found`;
   * 409 `login_exists`, `ftp_limit_reached`; 502 `sftp_failed`.
   */
  async add(asking: Asking, { name, folder = '', public_key: line }: NewSftpLogin): Promise<Made> {
    assertName(name);
    const password = line === undefined ? newPassword() : null;
    const secret = password === null ? null : await hashPassword(password);
    const kept = { name, folder, secret, public_keys: line === undefined ? [] : [line] };
    return { login: await this.restore(asking, kept), password };
  }

  /** Returns the logins as they leave with their account. */
  async kept(account: Account): Promise<KeptLogin[]> {
    return (await this.list(account)).map(({ name, folder, secret, keys }) => ({
      ...{ name: name.slice(loginPrefix(account).length), folder: folder.join('/'), secret },
      public_keys: keys.map(({ type, blob, comment }) => `${type} ${blob} ${comment}`.trim()),
    }));
  }

  /** Adds a login with the password and the keys that it has elsewhere; with `replaces`, one of the name gets them. Errors: those of `add`. */
  async restore(
    asking: Asking,
    { name: suffix, folder: given, secret, public_keys: lines }: KeptLogin,
    replaces = false,
  ): Promise<StoredLogin> {
    const { account } = asking;
    assertName(suffix);
    if (lines.length > 0 && !account.features.has('ssh_keys'))
      throw fail.ssh_keys_disabled('the plan has no public keys: leave public_key out');
    const name = `${loginPrefix(account)}${suffix}`;
    const there = replaces ? (await this.list(account)).find((each) => each.name === name) : undefined;
    const keys = [...new Map([...lines.map(newKey), ...(there?.keys ?? [])].map((key) => [key.blob, key])).values()];
    const folder = await this.#folder(account, given);
    const login = {
      ...{ id: 0, accountId: account.id, name, createdAt: Date.now(), lastLoginAt: null, lastLoginFrom: null },
      ...{ ...there, folder, secret, keys },
    };
    if (keys.length > MOST_KEYS) throw fail.public_keys_limit_reached(`a login has at most ${MOST_KEYS} keys`);
    const text = there === undefined ? `added the SFTP login ${name}` : `gave the SFTP login ${name} back what it had`;
    const type = there === undefined ? 'sftp.login_added' : 'sftp.password_renewed';
    const stored = await this.#change(asking, { type, text, data: this.#data(login) }, (before) => {
      const others = replaces ? before.filter((each) => each.name !== name) : before;
      if (others.some((each) => each.name === name)) throw fail.login_exists(`there is a login ${name} already`);
      const limit = account.plan?.limits['ftp_limit'] || MOST_LOGINS;
      if (others.length >= limit)
        throw fail.ftp_limit_reached(`the account can have ${limit} login${limit === 1 ? '' : 's'}`);
      return [...others, login];
    });
    return find(stored, name);
  }

  /** Errors: 400 `invalid_path`; 404 `login_not_found`, `folder_not_found`; 502 `sftp_failed`. */
  async move(asking: Asking, name: string, given: string): Promise<StoredLogin> {
    const folder = await this.#folder(asking.account, given);
    const data = this.#data({ name, folder });
    const told = { type: 'sftp.login_moved', text: `changed the folder of the SFTP login ${name}`, data } as const;
    return this.#edit(asking, told, name, (login) => ({ ...login, folder }));
  }

  /** Errors: 404 `login_not_found`; 502 `sftp_failed`. */
  async renewPassword(asking: Asking, name: string): Promise<Made> {
    const { folder } = find(await this.list(asking.account), name);
    const password = newPassword();
    const secret = await hashPassword(password);
    const text = `gave the SFTP login ${name} a new password`;
    const told = { type: 'sftp.password_renewed', text, data: this.#data({ name, folder }) } as const;
    return { login: await this.#edit(asking, told, name, (login) => ({ ...login, secret })), password };
  }

  /** Ends its connections, too. Errors: 404 `login_not_found`; 502 `sftp_failed`. */
  async remove(asking: Asking, name: string): Promise<void> {
    const { folder } = find(await this.list(asking.account), name);
    const data = this.#data({ name, folder });
    const told = { type: 'sftp.login_removed', text: `removed the SFTP login ${name}`, data } as const;
    await this.#change(asking, told, (before) => before.toSpliced(before.indexOf(find(before, name)), 1));
  }

  /** Errors: 400 `invalid_public_key`; 404 `login_not_found`; 409 `public_key_exists`, `public_keys_limit_reached`; 502 `sftp_failed`. */
  addKey(asking: Asking, name: string, line: string): Promise<StoredLogin> {
    const key = newKey(line);
    const data = { login: name, fingerprint: key.fingerprint };
    const told = { type: 'sftp.key_added', text: `added a public key to the SFTP login ${name}`, data } as const;
    return this.#edit(asking, told, name, (login) => {
      if (login.keys.some(({ blob }) => blob === key.blob))
        throw fail.public_key_exists('the login has this key already', AT_KEY);
      if (login.keys.length >= MOST_KEYS) throw fail.public_keys_limit_reached(`a login has at most ${MOST_KEYS} keys`);
      return { ...login, keys: [...login.keys, key] };
    });
  }

  /** Errors: 404 `login_not_found`, `public_key_not_found`; 502 `sftp_failed`. */
  async removeKey(asking: Asking, name: string, id: number): Promise<StoredLogin> {
    const key = find(await this.list(asking.account), name).keys.find((each) => each.id === id);
    if (key === undefined) throw fail.public_key_not_found('the login has no key with this id');
    const data = { login: name, fingerprint: key.fingerprint };
    const told = { type: 'sftp.key_removed', text: `removed a public key from the SFTP login ${name}`, data } as const;
    return this.#edit(asking, told, name, (login) => ({ ...login, keys: login.keys.filter((each) => each.id !== id) }));
  }

  /** Returns a folder as clients see it. */
  shownFolder(components: readonly string[]): string {
    return clientPath(components, this.#host.node.config.virtual_root);
  }

  #data({ name, folder }: Pick<StoredLogin, 'name' | 'folder'>) {
    return { login: name, folder: this.shownFolder(folder) };
  }

  /** Resolves with the components of a folder that exists, and that no link leads to. */
  async #folder({ id, username }: Account, given: string): Promise<readonly string[]> {
    const components = pathComponents(given, this.#host.node.config.virtual_root);
    if (!components.every(isUsableComponent))
      throw refuse.invalid_path('a folder with a colon in its name cannot be that of a login');
    await this.#host.jobs.run(FOLDER, { id, username }, components, { makesRoot: true });
    return components;
  }

  async #edit(
    asking: Asking,
    told: Told,
    name: string,
    edit: (login: StoredLogin) => StoredLogin,
  ): Promise<StoredLogin> {
    const logins = await this.#change(asking, told, (before) => {
      const login = find(before, name);
      return before.map((each) => (each === login ? edit(login) : each));
    });
    return find(logins, name);
  }

  async #change(
    { account, ip }: Asking,
    told: Told,
    change: (before: readonly StoredLogin[]) => readonly StoredLogin[],
  ): Promise<StoredLogin[]> {
    const { store, events, identity } = this.#host;
    return this.#logins.inTurn(async () => {
      const before = await this.list(account);
      const after = change(before);
      const changed = after.filter((login) => !before.includes(login)).map(({ name }) => name);
      try {
        const missing = await this.#logins.put(account, after);
        if (missing.some((name) => changed.includes(name)))
          throw refuse.folder_not_found('there is no such folder, or it is not the account’s own');
        return await store.write(async (tx) => {
          await identity.accounts.assertExists(tx, account);
          await putLogins(tx, account.id, after);
          await events.record(tx, { ...told, account, ip } as EventInput);
          return listLogins(tx, account.id);
        });
      } catch (error) {
        await this.#logins.put(account, before).catch((err: unknown) => {
          this.#host.log.warn({ err, account: account.username }, 'SFTP logins are left to the reconciliation');
        });
        throw error;
      }
    });
  }
}

/** Returns that with which the names of an account's logins begin. */
export const loginPrefix = ({ username }: Pick<Account, 'username'>): string => `${username}_`;

/** Errors: 400 `invalid_login_name`. */
function assertName(suffix: string): void {
  if (!SUFFIX.test(suffix))
    throw fail.invalid_login_name('a name has 1 to 24 lower-case letters, digits, - and _, and begins with no sign', {
      path: '/name',
    });
}

/** Errors: 404 `login_not_found`. */
function find(logins: readonly StoredLogin[], name: string): StoredLogin {
  const found = logins.find((each) => each.name === name);
  if (found === undefined) throw fail.login_not_found('the account has no login of this name');
  return found;
}

/** Errors: 400 `invalid_public_key`. */
function newKey(line: string): StoredKey {
  try {
    return { id: 0, createdAt: Date.now(), ...readPublicKeyLine(line) };
  } catch (error) {
    if (error instanceof Unusable) throw fail.invalid_public_key(error.message, AT_KEY);
    throw error;
  }
}
