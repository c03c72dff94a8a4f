import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type writeBatch from './jobs/batch-job.ts';

export const BATCH = defineJob<typeof writeBatch>({
  beside: import.meta.url,
  script: 'jobs/batch-job',
  timeoutMs: 30_000,
  tooMuch: 'overloaded',
});
