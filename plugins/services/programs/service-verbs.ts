import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import type { NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import type { Missing } from '../missing.ts';
import type { ServiceSize } from './service-program.ts';

/** A service of an account that has stored something, whether or not it runs. */
export interface StoredService {
  readonly accountId: number;
  readonly service: string;
}

/** A service of an account that is to run. */
export interface WantedService extends ServiceSize {
  readonly account: Identified;
  readonly service: string;
}

/** The part of the plugin that needs the rights of root. */
export interface ServiceVerbs {
  /** Resolves with why this machine cannot run a service; `null` if it can. */
  missing(service: string): Promise<Missing | null>;
  /**
   * Starts the program of a service, whose folder is there, and resolves with its name; whether it answers, the caller sees.
   * Does nothing for one that runs, and ends one of the same service that was started otherwise.
   */
  start(wanted: WantedService): Promise<string>;
  /** Has a program end, and resolves with the last that it printed. */
  stop(program: NamedProgram): Promise<string>;
  /**
   * Resolves with the last lines that a service printed, which outlive its program, but not this process. `sites`: as at its start, so
   * that its key is hidden. Errors: 502 `service_failed`.
   */
  log(what: StoredService & Pick<ServiceSize, 'sites'>): Promise<readonly string[]>;
  /** Kills all programs of an account at once. Resolves with their number. */
  end(accountId: number): Promise<number>;
  /** Resolves with the programs that run, of an account or of all, and ends what was started by half. */
  running(accountId: number | null): Promise<readonly NamedProgram[]>;
  /** Resolves with what services have stored. */
  stored(): Promise<readonly StoredService[]>;
  /**
   * Resolves with the path of what a service has stored, or will; makes the folders above it. The broker asks for jobs, see
   * `Privileged.verbs`.
   */
  folder(of: { readonly accountId: number; readonly name: string }): Promise<string>;
  /** Removes what a service, which has ended, has stored; with `null` what all of an account have. */
  discard(what: { readonly accountId: number; readonly service: string | null }): Promise<void>;
}
