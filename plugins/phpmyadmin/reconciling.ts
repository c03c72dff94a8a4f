import type { Host } from '../../kernel/contract/plugin.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { programKey } from '../../kernel/kit/programs/program-folder.ts';
import { startReconciling, type AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { SessionVerbs } from './pools/session-pools.ts';
import type { PhpMyAdminConfig } from './schema.ts';
import type { PhpMyAdminSessions } from './sessions.ts';
import { allSessions, readSession } from './store.ts';

const EVENTS = new Set(['account.suspended', 'account.removed', 'account.moved', 'domain.removed']);

/** Ends sessions that are over, also those that a process which died has left half open. */
export class SessionKeeper {
  readonly #host: Host<PhpMyAdminConfig>;
  readonly #sessions: PhpMyAdminSessions;
  readonly #verbs: SessionVerbs;
  #problem: () => string | undefined = () => undefined;

  constructor(host: Host<PhpMyAdminConfig>, sessions: PhpMyAdminSessions, verbs: SessionVerbs) {
    this.#host = host;
    this.#sessions = sessions;
    this.#verbs = verbs;
  }

  /** Why sessions are not as they should be; `undefined` if they are. */
  get problem(): string | undefined {
    return this.#problem();
  }

  /** Reconciles now, after events that concern sessions, and every few seconds; one run at a time. */
  start(): void {
    const wakers = eventWakers(this.#host, EVENTS);
    const everyMs = this.#host.config.check_seconds * 1000;
    this.#problem = startReconciling({ ...this.#host, wakers, everyMs, subject: 'sessions of phpMyAdmin' }, (attempt) =>
      this.#reconcile(attempt),
    );
  }

  async #reconcile(attempt: AttemptPart): Promise<void> {
    const { accounts } = this.#host.identity;
    for (const { accountId } of await allSessions(this.#host.store)) {
      const account = await accounts.byId(accountId);
      // one that is about to leave is its new home's
      if (account === undefined || !accounts.isHere(account) || account.isReadOnly) continue;
      await attempt(`phpMyAdmin of ${account.username}`, () => this.#check(account));
    }
    for (const { accountId } of await this.#verbs.running(null))
      await attempt(`phpMyAdmin of the account ${accountId}`, () => this.#endStray(accountId));
  }

  async #check(account: Account): Promise<void> {
    const isOver = async () => {
      const open = await readSession(this.#host.store, account.id);
      return open !== undefined && (await this.#sessions.isOver(account, open, await this.#running()));
    };
    if (!(await isOver())) return;
    await this.#sessions.inTurn(account, async () => {
      if (await isOver()) await this.#sessions.end(account, ''); // unless another one was opened meanwhile
    });
  }

  /** Ends the pool of an account that is gone, or is elsewhere. */
  #endStray(id: number): Promise<void> {
    return this.#sessions.inTurn({ id }, async () => {
      if ((await readSession(this.#host.store, id)) === undefined) await this.#verbs.end(id);
    });
  }

  async #running(): Promise<Set<string>> {
    return new Set((await this.#verbs.running(null)).map(programKey));
  }
}
