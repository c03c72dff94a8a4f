import type { Host } from '../../../kernel/contract/plugin.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import { isSame, planLimits } from '../limits.ts';
import type { LimitedAccount, ResourcesVerbs } from '../privileged.ts';

/** Has the kernel keep all processes of this node's accounts within their plans. */
export class PlanLimits {
  readonly #host: Pick<Host, 'identity' | 'log'>;
  readonly #verbs: ResourcesVerbs;
  /** Suspended accounts of which nothing runs that began before. */
  readonly #suspended = new Set<number>();

  constructor(host: Pick<Host, 'identity' | 'log'>, verbs: ResourcesVerbs) {
    this.#host = host;
    this.#verbs = verbs;
  }

  /**
   * Sets what differs from the plans, and ends what runs of accounts that are suspended or not here any more. Of suspended
   * ones it does so once: work of operators, such as a move, may follow.
   */
  async reconcile(attempt: AttemptPart): Promise<void> {
    const gone = new Map((await this.#verbs.kept(null)).map((each) => [each.accountId, each]));
    let count = 0;
    for await (const accounts of this.#host.identity.accounts.pagesOfHere()) {
      const limits: LimitedAccount[] = [];
      for (const account of accounts) {
        const [wanted, kept] = [planLimits(account), gone.get(account.id)];
        gone.delete(account.id);
        if (kept === undefined || !isSame(wanted, kept)) limits.push({ accountId: account.id, ...wanted });
        if (!account.suspended) this.#suspended.delete(account.id);
        else if (!this.#suspended.has(account.id))
          await attempt(processesOf(account.id), () => this.#suspend(account.id));
      }
      if (limits.length === 0) continue;
      await attempt('limits of memory, processors and processes', async () => {
        await this.#verbs.limit(limits);
        count += limits.length;
      });
    }
    if (count > 0) this.#host.log.info({ count }, "plans' limits of memory, processors and processes were set");
    for (const id of gone.keys()) {
      this.#suspended.delete(id);
      await attempt(processesOf(id), () => this.#verbs.end(id));
    }
  }

  async #suspend(accountId: number): Promise<void> {
    await this.#verbs.kill(accountId);
    this.#suspended.add(accountId);
  }
}

const processesOf = (accountId: number): string => `processes of the account ${accountId}`;
