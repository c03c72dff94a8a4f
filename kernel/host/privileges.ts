import type { AccountJobs } from '../kit/jobs/account-jobs.ts';
import type { Launcher } from '../kit/jobs/launcher.ts';
import type { Log } from '../log.ts';
import type { Privileged, PrivilegedHost, Verbs } from '../contract/privileged.ts';

interface Parts {
  readonly broker: Launcher | undefined;
  readonly jobs: AccountJobs;
  readonly log: Log;
}

/** Returns the verbs of a plugin: the broker's where there is one, otherwise in this process with `settings`. */
export function privilegedVerbs({ broker, jobs, log }: Parts) {
  return <V extends Verbs<V>>(privileged: Privileged<V>, settings: unknown, signal: AbortSignal): V => {
    if (broker === undefined) return openPrivileged(privileged, settings, { jobs, log, signal });
    const { name, verbs, timeoutMs } = privileged;
    return Object.fromEntries(
      verbs.map((verb) => [verb, (args: unknown) => broker.call(`${name}.${verb}`, args, timeoutMs, signal)]),
    ) as unknown as V;
  };
}

/** Opens what a plugin does with rights, in this process. */
export function openPrivileged<V>(
  privileged: { open(host: PrivilegedHost<never>): V },
  settings: unknown,
  { jobs, ...host }: Pick<Parts, 'jobs' | 'log'> & { readonly signal: AbortSignal },
): V {
  return privileged.open({ ...host, config: settings as never, rootOf: (username) => jobs.rootOf(username) });
}
