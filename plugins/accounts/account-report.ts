import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type { ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import type { UsageList } from './schema.ts';
import { fail } from './errors.ts';

export interface AccountReports {
  readonly domains: readonly string[];
  readonly usage: readonly ResourceUsage[];
  /** Why something is not known. */
  readonly problems: string[];
}

/** How long a request waits for files to be measured; the measuring goes on. */
const WAIT_MS = 10_000;
const KEPT_MS = 10_000;

/** Resolves with what all plugins tell about an account. May take long, where files must be measured. */
export async function gatherReport(gather: Host['gather'], account: Account): Promise<AccountReports> {
  const answers = await gather('accountReport', account);
  const parts = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
  return {
    domains: parts.flatMap(({ domains = [] }) => domains),
    usage: parts.flatMap(({ usage = [] }) => usage),
    problems: answers.flatMap((answer) => (answer.ok ? [] : [`${answer.plugin}: ${errorMessage(answer.error)}`])),
  };
}

/** The same for requests: those for one account share an answer, and wait for a bounded time. */
export class RecentReports {
  readonly #gather: Host['gather'];
  readonly #cache = new AccountCache<AccountReports>(KEPT_MS);

  constructor(gather: Host['gather']) {
    this.#gather = gather;
  }

  /** Resolves with what an account of this node uses. Errors: as below. */
  async usageOf(account: Account): Promise<Static<typeof UsageList>> {
    const { usage, problems } = await this.of(account);
    return { usage: usage.map(({ isOver, ...each }) => ({ ...each, over: isOver })), problems };
  }

  /** Errors: 503 `overloaded` while it is still being measured. */
  async of(account: Account): Promise<AccountReports> {
    const report = this.#cache.get(account, '', () => gatherReport(this.#gather, account));
    const late = () => fail.overloaded(`the files of ${account.username} are being measured`, { retryAfterSeconds: 5 });
    return withDeadline(Promise.resolve(report), WAIT_MS, late);
  }
}
