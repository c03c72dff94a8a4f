import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type trash from './jobs/trash-job.ts';

/** To remove a large folder for good takes its time. */
export const TRASH = defineJob<typeof trash>({
  beside: import.meta.url,
  script: 'jobs/trash-job',
  timeoutMs: 60_000,
  tooMuch: 'overloaded',
});
