import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type compress from './archives/compress-job.ts';
import type extract from './archives/extract-job.ts';
import type stream from './archives/stream-job.ts';
import type change from './jobs/change-job.ts';
import type copy from './jobs/copy-job.ts';
import type entries from './jobs/entries-job.ts';
import type listing from './jobs/listing-job.ts';
import type read from './jobs/read-job.ts';
import type repair from './jobs/repair-job.ts';
import type write from './jobs/write-job.ts';

const shared = { beside: import.meta.url, timeoutMs: 10_000, tooMuch: 'overloaded' } as const;

export const CHANGE = defineJob<typeof change>({ ...shared, script: 'jobs/change-job' });
export const ENTRIES = defineJob<typeof entries>({ ...shared, script: 'jobs/entries-job' });
export const LIST = defineJob<typeof listing>({ ...shared, script: 'jobs/listing-job' });
export const READ = defineJob<typeof read>({ ...shared, script: 'jobs/read-job' });
export const WRITE = defineJob<typeof write>({ ...shared, script: 'jobs/write-job' });

/** Time for all of a task, in which it is watched for whether it goes on. */
const task = { ...shared, timeoutMs: 3_600_000 };
export const COMPRESS = defineJob<typeof compress>({ ...task, script: 'archives/compress-job' });
export const COPY = defineJob<typeof copy>({ ...task, script: 'jobs/copy-job' });
export const EXTRACT = defineJob<typeof extract>({ ...task, script: 'archives/extract-job' });
export const REPAIR = defineJob<typeof repair>({ ...task, script: 'jobs/repair-job' });
/** A part of an archive takes the processor as long as it compresses well. */
export const STREAM = defineJob<typeof stream>({ ...shared, script: 'archives/stream-job', timeoutMs: 60_000 });
