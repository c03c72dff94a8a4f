import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type backup from './jobs/backup-job.ts';
import type database from './jobs/database-job.ts';
import type list from './jobs/list-job.ts';
import type read from './jobs/read-job.ts';
import type restore from './jobs/restore-job.ts';

const shared = { beside: import.meta.url, timeoutMs: 120_000, tooMuch: 'overloaded' } as const;
/** Time for all of a task, in which it is watched for whether it goes on. */
const task = { ...shared, timeoutMs: 6 * 3_600_000 };

export const BACKUP = defineJob<typeof backup>({ ...task, script: 'jobs/backup-job' });
export const DATABASE = defineJob<typeof database>({ ...task, script: 'jobs/database-job' });
export const RESTORE = defineJob<typeof restore>({ ...task, script: 'jobs/restore-job' });
export const LIST = defineJob<typeof list>({ ...shared, script: 'jobs/list-job' });
/** Lasts as long as the client takes. */
export const READ = defineJob<typeof read>({ ...task, script: 'jobs/read-job' });
