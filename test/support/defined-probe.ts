import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type probeJob from './probe-job.ts';

/** The job `probe-job.ts`. */
export const probeJobOf = (timeoutMs = 20_000) =>
  defineJob<typeof probeJob>({ beside: import.meta.url, script: 'probe-job', timeoutMs, tooMuch: 'overloaded' });
