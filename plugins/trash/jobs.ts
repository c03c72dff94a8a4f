import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type empty from './jobs/empty-job.ts';
import type trash from './jobs/trash-job.ts';

/** To remove a large folder for good takes its time; what is left then is too old still, when the clock looks again. */
export const TRASH = defineJob<typeof trash>({
  beside: import.meta.url,
  script: 'jobs/trash-job',
  timeoutMs: 60_000,
  tooMuch: 'overloaded',
});
/** Time for all of a task, in which it is watched for whether it goes on. */
export const EMPTY = defineJob<typeof empty>({
  beside: import.meta.url,
  script: 'jobs/empty-job',
  timeoutMs: 3_600_000,
  tooMuch: 'overloaded',
});
