import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type { AccountsUsage, ResourceUsage } from '../../kernel/contract/points/account-report.ts';
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
/** How old a measurement may be that tells who is over a limit. */
const AGE_MS = 86_400_000;

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

/**
 * Resolves with what accounts of this node use, from what is known without looking for it. Left out are those of which something
 * is not known, or was measured too long ago.
 */
export async function knownUsage(gather: Host['gather'], accounts: readonly Account[]): Promise<AccountsUsage> {
  const parts = await gather('accountsUsage', accounts);
  const oldest = Date.now() - AGE_MS;
  const found = new Map<number, readonly ResourceUsage[]>();
  for (const { id } of accounts) {
    const usage = parts.map((part) => (part.ok ? part.value.get(id) : undefined));
    if (usage.every((part) => part?.every(({ at = Infinity }) => at >= oldest)))
      found.set(
        id,
        usage.flatMap((part) => part ?? []),
      );
  }
  return found;
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
