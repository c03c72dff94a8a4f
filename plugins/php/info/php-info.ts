import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import type { AccountPools } from '../keeping/account-pools.ts';
import { fail } from '../errors.ts';
import type { Pool } from '../pools/pool.ts';
import type { PhpConfig, PhpInfo } from '../schema.ts';
import type readInfo from './info-job.ts';
import { readSections } from './sections.ts';

const INFO_MS = 20_000;
const INFO = defineJob<typeof readInfo>({
  beside: import.meta.url,
  script: 'info-job',
  timeoutMs: INFO_MS,
  tooMuch: 'php_info_failed',
});

/**
 * Has a pool run phpinfo(). Concurrent callers of an account wait for each other. Errors: 502 `php_failed`, `php_info_failed`; those
 * of jobs and of the broker.
 */
export function phpInfo(
  { jobs }: Pick<Host<PhpConfig>, 'jobs'>,
  pools: AccountPools,
  account: Account,
  pool: Pool,
): Promise<PhpInfo['sections']> {
  return pools.inTurn(account, async () => {
    await pools.start(account, pool);
    const asked = { account: { id: account.id, username: account.username }, name: pools.nameOf(pool) };
    const sections = await jobs.run(INFO, account, null, {
      signal: AbortSignal.timeout(INFO_MS),
      onAsk: async () => ({ answer: null, bytes: Buffer.from(await pools.verbs.info(asked)) }),
    });
    try {
      return readSections(sections);
    } catch (cause) {
      throw fail.php_info_failed('what was read of phpinfo() is not usable', { cause });
    }
  });
}
