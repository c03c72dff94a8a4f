import type { Account } from '../../identity/accounts/account.ts';
import { defineJob } from '../../kit/jobs/job.ts';
import type { Host } from '../../contract/plugin.ts';
import type discard from './discard-job.ts';

/** To remove a large folder takes its time. */
const DISCARD = defineJob<typeof discard>({
  ...{ beside: import.meta.url, script: 'discard-job', timeoutMs: 60_000, tooMuch: 'overloaded' },
});

/** Removes what a task has made below its id in `.hostkeep/work` of the account, or logs that it stays. */
export async function discardWork({ jobs, log }: Pick<Host, 'jobs' | 'log'>, account: Account, task: string) {
  await jobs.run(DISCARD, account, { task }).catch((err: unknown) => {
    log.warn({ err, task }, 'what a task has made stays in .hostkeep/work');
  });
}
