import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import type look from './jobs/look-job.ts';
import type pack from './jobs/pack-job.ts';
import type unpack from './jobs/unpack-job.ts';

const shared = { beside: import.meta.url, timeoutMs: 6 * 3_600_000, tooMuch: 'files_unavailable' } as const;

export const PACK = defineJob<typeof pack>({ ...shared, script: 'jobs/pack-job' });
export const UNPACK = defineJob<typeof unpack>({ ...shared, script: 'jobs/unpack-job' });
export const LOOK = defineJob<typeof look>({ ...shared, script: 'jobs/look-job', timeoutMs: 60_000 });

/** The pool of a command: `tar` remembers each folder until its end, and the largest file is that of an upload. */
export const POOL = {
  ...{ name: 'account archives', processes: 1, idleMs: 30_000 },
  limits: { memoryMib: 1024, fileMib: 16_384 },
};
