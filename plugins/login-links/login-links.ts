import { createHash, randomBytes } from 'node:crypto';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Session } from '../../kernel/identity/gate/sessions.ts';
import { HttpError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { USER_AGENT_CHARACTERS, type LoggedIn } from '../../kernel/areas/login.ts';
import type { Reader } from '../../kernel/store/store.ts';
import type { Static } from '../../kernel/schema.ts';
import { fail } from './errors.ts';
import { addLoginLink, readLoginLink, useLoginLink, type LoginLinkRow } from './store.ts';
import type { LoginLink } from './schema.ts';

const VALID_MS = 60_000;

interface AdminCall {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
}
interface Client {
  readonly ip: string;
  readonly userAgent: string;
}

/**
 * Lets administrators see an account as its owner does: a link opens it once, within a minute, while the session or API token
 * lives that made it. The session that it opens is marked, and cannot change credentials.
 */
export class LoginLinks {
  readonly #host: Pick<Host, 'identity' | 'events' | 'store' | 'node'>;
  /** Where customers have their pages. */
  readonly #home: () => string;

  constructor(host: Pick<Host, 'identity' | 'events' | 'store' | 'node'>, home: () => string) {
    this.#host = host;
    this.#home = home;
  }

  /** Errors: 404 `account_not_found`, 409 `account_not_openable`, 403 `reauthentication_required`. */
  async make(username: string, { account: by, session, ip }: AdminCall): Promise<Static<typeof LoginLink>> {
    const { identity, events, store, node } = this.#host;
    const account = await identity.accounts.get(username);
    if (account.role === 'admin') throw notOpenable('an administrator');
    if (account.suspended) throw notOpenable('suspended');
    const code = randomBytes(32).toString('base64url');
    const link = {
      hash: hashOf(code),
      account_id: account.id,
      operator_id: by.id,
      maker_id: session.id,
      by_token: session.grant === undefined ? 0 : 1,
      expires_at: Date.now() + VALID_MS + node.clockSlackMs, // another node may be ahead
    };
    await store.write(async (tx) => {
      // Whoever made an API token proved the password then, and gave it the scope of this route.
      if (session.grant === undefined) await identity.reauthentication.assertRecent(tx, session);
      else await identity.sessions.assertAlive(tx, session);
      await identity.accounts.assertExists(tx, account);
      await addLoginLink(tx, link, Date.now());
      const text = `got a login link from the administrator '${by.username}'`;
      await events.record(tx, { type: 'login_link.made', account, text, ip, data: { by: by.username } });
    });
    // A browser sends the fragment to nobody, so that no log has it.
    return { url: `${this.#home()}/home#login=${code}`, expires_in: VALID_MS / 1000 };
  }

  /** Errors: 401 `invalid_login_link`, whatever is wrong with it. */
  async open(code: string, { ip, userAgent }: Client): Promise<LoggedIn> {
    const { identity, events, store } = this.#host;
    const hash = hashOf(code);
    const link = await readLoginLink(store, hash, Date.now());
    const [account, by] =
      link === undefined
        ? []
        : await Promise.all([identity.accounts.byId(link.account_id), identity.accounts.byId(link.operator_id)]);
    if (link === undefined || account === undefined || account.suspended || by === undefined) throw invalidLink();
    const agent = userAgent.slice(0, USER_AGENT_CHARACTERS);
    const { token, expiresIn } = await identity.sessions.open(
      account,
      ip,
      agent,
      async (tx) => {
        if (!(await this.#isMakerAlive(tx, link)) || !(await useLoginLink(tx, hash, Date.now()))) throw invalidLink();
        const text = `was opened by the administrator '${by.username}'`;
        await events.record(tx, { type: 'login_link.used', account, text, ip, data: { by: by.username } });
      },
      by.username,
    );
    return { token, user_id: account.id, expires_in: expiresIn };
  }

  async #isMakerAlive(
    tx: Reader,
    { maker_id: id, operator_id: accountId, by_token: byToken }: LoginLinkRow,
  ): Promise<boolean> {
    const maker = { id, accountId, grant: byToken === 1 ? {} : undefined };
    return this.#host.identity.sessions.assertAlive(tx, maker).then(
      () => true,
      () => false,
    );
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

function notOpenable(why: string): HttpError {
  return fail.account_not_openable(`the account is ${why}`);
}

function invalidLink(): HttpError {
  return fail.invalid_login_link('the link was used, or is older than a minute', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
