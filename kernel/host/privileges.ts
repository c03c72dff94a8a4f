import type { Launcher } from '../kit/jobs/launcher.ts';
import type { PrivilegeParts } from '../contract/command.ts';
import type { Privileged, PrivilegedHost, Verbs } from '../contract/privileged.ts';

/** Returns the verbs of a plugin: the broker's where there is one, otherwise in this process with `settings`. */
export function privilegedVerbs<V extends Verbs<V>>(
  broker: Launcher | undefined,
  privileged: Privileged<V>,
  settings: unknown,
  parts: PrivilegeParts,
): V {
  if (broker === undefined) return openPrivileged(privileged, settings, parts);
  const { name, verbs, timeoutMs } = privileged;
  const call = (verb: string) => (args: unknown) => broker.call(`${name}.${verb}`, args, timeoutMs, parts.signal);
  return Object.fromEntries(verbs.map((verb) => [verb, call(verb)])) as unknown as V;
}

/** Opens what a plugin does with rights, in this process. */
export function openPrivileged<V>(
  privileged: { open(host: PrivilegedHost<never>): V },
  settings: unknown,
  { jobs, ...host }: PrivilegeParts,
): V {
  return privileged.open({
    ...host,
    config: settings as never,
    rootOf: (username) => jobs.rootOf(username),
    userOf: (account) => jobs.startOf(jobs.ownerOf(account, { makesRoot: true })).user,
  });
}
