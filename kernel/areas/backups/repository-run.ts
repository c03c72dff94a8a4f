import type { Account } from '../../identity/accounts/account.ts';
import type { JobPool } from '../../kit/jobs/job-pool.ts';
import type { Job } from '../../kit/jobs/job.ts';
import { READ_ONLY, RepositoryAccess } from '../../kit/restic/repository-access.ts';
import type { ResticSetup } from '../../kit/restic/run-restic.ts';
import type { Repository } from '../../kit/restic/service-restic.ts';
import type { Host } from '../../contract/plugin.ts';
import { discardWork } from '../tasks/discarded-work.ts';

interface RepositoryRun {
  readonly account: Account;
  readonly repository: Repository;
  /** The program restic. */
  readonly program: string;
  /** Below whose `id` in `.hostkeep/work` the job has what it makes. */
  readonly run: { readonly id: string; readonly signal: AbortSignal };
}

/** Has a job read a repository beside the files of its account. Removes what it has made if it fails. Errors: those of the job. */
export async function runInRepository<I, T>(
  host: Pick<Host, 'jobs' | 'log'>,
  pool: JobPool,
  job: Job<NoInfer<I> & { readonly setup: ResticSetup; readonly work: string }, T>,
  { account, repository: { folder, key }, program, run }: RepositoryRun,
  given: I,
): Promise<T> {
  const owner = host.jobs.ownerOf(account, { makesRoot: true });
  const access = new RepositoryAccess(folder, READ_ONLY);
  try {
    const input = { ...given, setup: { program, key }, work: run.id };
    return await pool.run(job, owner, input, { ...run, onAsk: access.answer });
  } catch (error) {
    await discardWork(host, account, run.id);
    throw error;
  } finally {
    await access.close();
  }
}
