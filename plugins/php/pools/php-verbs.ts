import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import type { NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import type { Pool } from './pool.ts';
import type { Measured } from './pool-meter.ts';

export interface FailedPool extends NamedProgram {
  readonly problem: string;
}
export interface PoolsNow extends Measured {
  /** Those whose last start failed. */
  readonly failures: readonly FailedPool[];
}

export interface PhpVerbs {
  /** Has a pool answer, and resolves with its name; one that `rests` may end then until it is asked. Does nothing for one that runs. */
  start(request: { readonly account: Identified; readonly pool: Pool; readonly rests: boolean }): Promise<string>;
  /** Lets a pool finish its requests and end; its socket takes no others. */
  stop(pool: NamedProgram): Promise<null>;
  /** Has the masters end that nobody has asked for `idle_seconds`. The next request starts them. */
  rest(nothing: null): Promise<null>;
  /** Ends all pools of an account at once, and removes what they have beside its files. Resolves with their number. */
  end(accountId: number): Promise<number>;
  /**
   * Has new processes answer from now on, which the next request starts; those before finish. Resolves with `false` if there are none to
   * replace.
   */
  restart(pool: NamedProgram): Promise<boolean>;
  /** Resolves with the pools that run, or that a request starts. */
  running(nothing: null): Promise<readonly NamedProgram[]>;
  /** Resolves with what pools are at, which is not older than a second. Wakes none. */
  figures(nothing: null): Promise<PoolsNow>;
  /** Resolves with what the account's own script `INFO_SCRIPT` prints in a pool that runs: headers, an empty line, and HTML. */
  info(request: { readonly account: Identified; readonly name: string }): Promise<string>;
  /** Has a pool of nobody answer for a while. Rejects with why it does not. */
  prove(version: string): Promise<{ readonly isAlone: boolean }>;
}
