import type { Account } from '../identity/accounts/account.ts';

/** `busy`: all processes have a request. `ending`: no domain needs it any more. `missing`: it is not there, and is tried every few seconds. */
export type PhpPoolState = 'running' | 'busy' | 'asleep' | 'ending' | 'missing' | 'failed';

/** Processes that run the scripts of an account's domains which have the same version and options of PHP. */
export interface PhpPool {
  readonly username: string;
  /** Among those of its account. */
  readonly name: string;
  readonly version: string;
  /** Names of the domains that it serves, sorted. */
  readonly domains: readonly string[];
  readonly state: PhpPoolState;
  /** Why it does not start; `null` if it has. */
  readonly problem: string | null;
  readonly processes: number;
  /** `null` while it does not answer. */
  readonly active: number | null;
  /** The most processes that it may have; 0 for one that is ending. */
  readonly mostProcesses: number;
  readonly memoryBytes: number;
  readonly runningSeconds: number;
  /** Since it started; `null` while that is not known. */
  readonly requests: number | null;
  /** How often a request found the most processes there, in the same time. */
  readonly limitReached: number | null;
}

/** The service of the plugin `php`, for plugins that use it. */
export interface PhpPoolDirectory {
  /** Resolves with the pools, as they were up to two seconds ago, and with the requests that were seen since somebody first asked. */
  read(): Promise<{ readonly pools: readonly PhpPool[]; readonly served: number }>;
  /**
   * Has a pool answer by new processes from now on; those that have requests finish them. Resolves with `false` if it does not run, or if
   * processes of the last time have not finished.
   */
  restart(account: Account, name: string): Promise<boolean>;
}
