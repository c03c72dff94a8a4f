import { TOTP } from 'otpauth';
import type { Role } from '../../kernel/identity/accounts.ts';
import type { Core } from '../../kernel/core.ts';
import type { PlanLimits } from '../../kernel/identity/plan-limits.ts';
import { siteFiles, writeFiles } from './estate.ts';
import type { Harvest } from './harvest.ts';
import { Hole } from './values.ts';

export const PASSWORD = 'correct horse battery';
/** The plans of those who may do everything and of those who may do little; the attack is not told of them. */
export const PLAN = 'attack-plan';
export const SMALL_PLAN = 'attack-small';
const SMALL_FEATURES = ['account', 'sessions', 'favorites', 'domains', 'filemanager', 'search', 'info'];
const UNLIMITED: PlanLimits = {
  description: '',
  cpu_limit: 0,
  ram_limit_mib: 0,
  disk_limit_mib: 0,
  inodes_limit: 0,
  bandwidth: 0,
  domains_limit: 0,
  websites_limit: 0,
  db_limit: 0,
  email_limit: 0,
  ftp_limit: 0,
  mysql: '',
  webserver: '',
};

/** An application lies in this folder of everybody's, whoever has the domain at the moment. */
export const SITE = 'sunny-garden.example';

/** Somebody who asks, and what they know to answer with when asked for a password or a code. */
export interface Actor {
  readonly username: string;
  readonly role: Role;
  readonly plan: string;
  token: string;
  password: string;
  secret: string;
  recoveryCodes: string[];
  /** What they had was taken from them: the session, a feature, the account. */
  isWorn: boolean;
  /** Their password, or whether they have a second factor, is no longer known. */
  isDoubtful: boolean;
}

export function actorOf(username: string, role: Role, plan: string): Actor {
  return {
    username,
    role,
    plan,
    token: '',
    password: PASSWORD,
    secret: '',
    recoveryCodes: [],
    isWorn: true,
    isDoubtful: true,
  };
}

/** Puts people back as they were, from outside, as an operator does at the command line. */
export class Cast {
  readonly actors: readonly Actor[];
  readonly #core: Core;
  #hash: string | undefined;

  constructor(core: Core, actors: readonly Actor[]) {
    this.#core = core;
    this.actors = actors;
  }

  /** Resolves once everybody can do what is theirs. `all` looks also at those who have not complained. */
  async repair(all: boolean): Promise<void> {
    const { plans, passwords } = this.#core;
    this.#hash ??= await passwords.hash(PASSWORD);
    for (const [name, features] of [
      [PLAN, [...this.#core.locales.featureNames]],
      [SMALL_PLAN, SMALL_FEATURES],
    ] as const) {
      if (!(await plans.all()).has(name)) await plans.create(name, UNLIMITED, features);
    }
    for (const actor of this.actors) if (all || actor.isWorn || actor.isDoubtful) await this.#mend(actor, this.#hash);
  }

  async #mend(actor: Actor, hash: string): Promise<void> {
    const { accounts, locales } = this.#core;
    const { username, role } = actor;
    let account = await accounts.byUsername(username);
    if (account !== undefined && account.role !== role) {
      await accounts.remove(username);
      account = undefined;
    }
    if (account === undefined) {
      account = await accounts.create({
        username,
        role,
        passwordHash: hash,
        ...(role === 'user' ? { plan: actor.plan } : {}),
      });
      await writeFiles(account.filesRoot, siteFiles(SITE, username));
      Object.assign(actor, { isWorn: true, isDoubtful: true });
    }
    if (account.suspended) await accounts.unsuspend(username);
    if (role === 'user' && account.plan?.name !== actor.plan) await accounts.update(username, { plan: actor.plan });
    if (actor.plan === PLAN)
      for (const feature of locales.featureNames)
        if (!account.features.has(feature)) await accounts.setFeature(username, feature, true);
    if (actor.isDoubtful) await this.#resetFactors(actor, account.id, hash);
    const { account: now } = (await this.#core.sessions.resolve(`Bearer ${actor.token}`)) ?? {};
    if (now === undefined)
      actor.token = (
        await this.#core.sessions.open(await accounts.get(username), '127.0.0.1', 'attack', async () => {})
      ).token;
    actor.isWorn = false;
  }

  async #resetFactors(actor: Actor, id: number, hash: string): Promise<void> {
    await this.#core.store.write((tx) => tx.run('delete from twofa where account_id = ?', id));
    await this.#core.accounts.setPassword(actor.username, hash);
    Object.assign(actor, { password: PASSWORD, secret: '', recoveryCodes: [], isDoubtful: false });
  }
}

/** What a hole stands for when this actor asks at this path; text where nothing is known yet. */
export function fill(hole: Hole, actor: Actor, harvest: Harvest, path: string): string {
  const {
    kind,
    names: [name = ''],
    nth,
  } = hole;
  const own = hole.names.map((each) => `${actor.username} ${each}`);
  if (kind === 'known')
    return hole.around(
      (nth % 5 === 0 ? undefined : harvest.pick(own, nth)) ?? harvest.pick(hole.names, nth) ?? 'unknown',
    );
  if (kind === 'here') return harvest.pick([`${path} ${name}`, `${actor.username} ${name}`], nth) ?? 'unknown';
  switch (name) {
    case 'username':
      return actor.username;
    case 'password':
      return actor.password;
    case 'totp':
      return actor.secret === '' ? '000000' : new TOTP({ secret: actor.secret }).generate();
    case 'code':
      return actor.recoveryCodes.pop() ?? '000000';
    default:
      return '';
  }
}
