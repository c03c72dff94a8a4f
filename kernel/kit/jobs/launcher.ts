import type { JobLimits, LaunchedJob } from './job-launch.ts';
import type { Identified, JobOwner } from './job.ts';
import type { Followed, GivenFiles, GivingRequest } from './owners/given-files.ts';
import type { Removal } from './remove-tree.ts';

/**
 * A process with the rights that this one does without: the default export of a plugin's `launcher.ts` returns one for the path
 * of its socket. Calls reject with 503 `broker_unavailable` if it does not answer in time or cannot be reached.
 */
export interface Launcher {
  /** Has it do something, and rejects with its error. */
  call(verb: string, args: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
  /** Resolves with its version. */
  version(): Promise<string>;
  /** Has it read its settings again. Rejects with 400 `invalid_request` if it refuses them. */
  reload(): Promise<void>;
  /** See `AccountJobs.setAside`. */
  setAside(account: Identified): Promise<{ readonly hadFiles: boolean; readonly problem?: string }>;
  /** See `AccountJobs.removeFiles`. */
  removeFiles(account: Identified, signal: AbortSignal): Promise<Removal>;
  /** See `AccountJobs.giveFiles`. */
  giveFiles(account: Identified, request: GivingRequest, followed: Followed): Promise<GivenFiles>;
  /** Has it start a process of jobs for an account. It ends when this process does. */
  launch(account: Identified, owner: JobOwner, limits: JobLimits): LaunchedJob;
}
