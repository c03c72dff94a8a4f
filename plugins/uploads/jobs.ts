import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type upload from './jobs/upload-job.ts';

export const UPLOAD = defineJob<typeof upload>({
  beside: import.meta.url,
  script: 'jobs/upload-job',
  timeoutMs: 10_000,
  tooMuch: 'overloaded',
});
