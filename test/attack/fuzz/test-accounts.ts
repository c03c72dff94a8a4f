import { execFileSync } from 'node:child_process';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Core } from '../../../kernel/run/core.ts';
import type { Account, Role } from '../../../kernel/identity/accounts/account.ts';
import { DOT } from '../../support/dot.ts';
import { siteFiles, writeFiles } from '../target/site-files.ts';

export const PASSWORD = 'correct horse battery';
/** Reserved plans, which the fuzz run never names: one with every feature, one with few. */
export const PLAN = 'attack-plan';
export const SMALL_PLAN = 'attack-small';
const SMALL_FEATURES = ['account', 'sessions', 'favorites', 'domains', 'filemanager', 'search', 'info'];
const UNLIMITED = { limits: { names_limit: 0 } };

/** Every account has an application in this folder; the domain belongs to one of them at a time. */
export const SITE = 'sunny-garden.example';
/** A picture of every account, unless a request took it away. */
export const PICTURE = 'dot.gif';

/** An account that sends requests, with the credentials it currently holds. */
export interface TestAccount {
  readonly username: string;
  readonly role: Role;
  readonly plan: string;
  token: string;
  password: string;
  secret: string;
  recoveryCodes: string[];
  /** Another request ended its session, removed the account or took a feature from it. */
  tokenLost: boolean;
  /** Its password may have changed, or its second factor may have been turned on or off. */
  credentialsUnknown: boolean;
}

export function newAccount(username: string, role: Role, plan: string): TestAccount {
  return {
    username,
    role,
    plan,
    token: '',
    password: PASSWORD,
    secret: '',
    recoveryCodes: [],
    tokenLost: true,
    credentialsUnknown: true,
  };
}

async function giveFiles({ filesRoot, username }: Pick<Account, 'filesRoot' | 'username'>): Promise<void> {
  for (const name of [SITE, 'databases', PICTURE])
    await rm(join(filesRoot, name), { recursive: true, force: true, maxRetries: 5 });
  await writeFiles(filesRoot, { ...siteFiles(SITE, username), 'databases/fuzz.sqlite': username });
  await writeFile(join(filesRoot, PICTURE), DOT, { mode: 0o644 });
  const { uid, gid } = await stat(filesRoot);
  execFileSync('chown', ['-R', `${uid}:${gid}`, filesRoot]);
}

/** Restores the accounts from outside the server, as an operator does on the command line. */
export class TestAccounts {
  readonly list: readonly TestAccount[];
  readonly #core: Core;
  #hash: string | undefined;

  constructor(core: Core, list: readonly TestAccount[]) {
    this.#core = core;
    this.list = list;
  }

  /** Resolves once every account can use its features; `all` also checks accounts without a recorded loss. */
  async repair(all: boolean): Promise<void> {
    const { plans, passwords } = this.#core;
    this.#hash ??= await passwords.hash(PASSWORD);
    for (const [name, features] of [
      [PLAN, [...this.#core.locales.featureNames]],
      [SMALL_PLAN, SMALL_FEATURES],
    ] as const) {
      if (!(await plans.all()).has(name)) await plans.create(name, UNLIMITED, features);
    }
    for (const each of this.list)
      if (all || each.tokenLost || each.credentialsUnknown) await this.#restore(each, this.#hash);
  }

  /** Gives customers the files back that requests took away, also those whose accounts they removed. */
  async restoreFiles(): Promise<void> {
    await this.repair(true);
    for (const { username, role } of this.list)
      if (role === 'user') await giveFiles(await this.#core.accounts.get(username));
  }

  async #restore(test: TestAccount, hash: string): Promise<void> {
    const { accounts, locales } = this.#core;
    const { username, role } = test;
    let account = await accounts.byUsername(username);
    if (account !== undefined && account.role !== role) {
      await accounts.remove(username);
      account = undefined;
    }
    if (account === undefined) {
      await this.#freeName(username);
      account = await accounts.create({
        username,
        role,
        passwordHash: hash,
        ...(role === 'user' ? { plan: test.plan } : {}),
      });
      await this.#core.jobs.makeRoot(account);
      await giveFiles(account);
      Object.assign(test, { tokenLost: true, credentialsUnknown: true });
    }
    if (account.suspended) await accounts.unsuspend(username);
    if (role === 'user' && account.plan?.name !== test.plan) await accounts.update(username, { plan: test.plan });
    if (test.plan === PLAN)
      for (const feature of locales.featureNames)
        if (!account.features.has(feature)) await accounts.setFeature(username, feature, true);
    if (test.credentialsUnknown) await this.#resetCredentials(test, account.id, hash);
    await this.#renewToken(test);
  }

  async #freeName(username: string): Promise<void> {
    const { removed } = this.#core.accounts;
    if ((await removed.list()).every((each) => each.username !== username)) return;
    const account = await removed.claim(username);
    await this.#core.jobs.removeFiles(account, new AbortController().signal);
    await removed.release(account, { username: '', ip: '' });
  }

  /** Makes sure of a session; that of an administrator has just proved password and code again. */
  async #renewToken(test: TestAccount): Promise<void> {
    const { accounts, reauthentication, sessions, store } = this.#core;
    if ((await sessions.resolve(`Bearer ${test.token}`)) === undefined)
      test.token = (
        await sessions.open(await accounts.get(test.username), '127.0.0.1', 'attack', async () => {})
      ).token;
    const known = test.role === 'admin' ? await sessions.resolve(`Bearer ${test.token}`) : undefined;
    if (known !== undefined) await store.write((tx) => reauthentication.note(tx, known.session));
    test.tokenLost = false;
  }

  async #resetCredentials(test: TestAccount, id: number, hash: string): Promise<void> {
    await this.#core.store.write((tx) => tx.run('delete from twofa where account_id = ?', id));
    await this.#core.credentials.setPassword(await this.#core.accounts.get(test.username), hash);
    Object.assign(test, { password: PASSWORD, secret: '', recoveryCodes: [], credentialsUnknown: false });
  }
}
