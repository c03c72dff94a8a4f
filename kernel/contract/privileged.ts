import { lstat } from 'node:fs/promises';
import type { Log } from '../log.ts';
import type { Static, TSchema } from '../schema.ts';
import type { FilesRoot } from '../kit/files/files-root.ts';
import type { ControlGroups } from '../kit/programs/control-groups.ts';
import type { Identified, JobUser } from '../kit/jobs/job.ts';

/** The context of privileged code: the settings of its process, and nothing of the store. */
export interface PrivilegedHost<C> {
  readonly config: C;
  readonly log: Log;
  rootOf(username: string): FilesRoot;
  /** Returns who owns the files of an account; `null` where accounts have no user ids of their own. */
  userOf(account: Identified): JobUser | null;
  /** The control groups of accounts, where there may be some; what is started for an account starts in the account's. */
  readonly groups?: ControlGroups;
  /** Aborted when the plugin, or the broker, closes. */
  readonly signal: AbortSignal;
}

/**
 * Resolves with the user id that owns an account's files, and with their folder. Rejects with what `refuse` makes of the reason if
 * that is not the id of the account.
 */
export async function filesOwner(
  host: Pick<PrivilegedHost<unknown>, 'userOf' | 'rootOf'>,
  account: Identified,
  refuse: (reason: string) => Error,
): Promise<{ readonly uid: number; readonly root: string }> {
  const user = host.userOf(account);
  if (user === null) throw refuse('accounts need user ids: set ids.first');
  const root = host.rootOf(account.username).path;
  const { uid } = await lstat(root);
  if (uid !== user.uid && uid !== user.namesakeUid)
    throw refuse(`the files of ${account.username} belong to the user id ${uid}, and not to ${user.uid}`);
  return { uid, root };
}

/** Each takes and gives JSON. */
export type Verbs<V> = { readonly [K in keyof V]: (args: never) => Promise<unknown> };

/**
 * A plugin's verbs that need more rights than the service has: the default export of its `privileged.ts`. They run in the
 * broker, whose callers may be in foreign hands, so each checks its arguments; without a broker, in the service's own process.
 */
export interface Privileged<V extends Verbs<V>, C extends TSchema = TSchema> {
  /** The plugin. */
  readonly name: string;
  /** The schema of the plugin's section of the configuration. */
  readonly config: C;
  /**
   * One named `folder` takes `{ accountId, name }` and resolves with the path of a folder of the account beside its files, in which
   * jobs may run as the account: see `JobOwner.folder`. It checks the name, and nobody but root may change the folders above.
   */
  readonly verbs: readonly (keyof V & string)[];
  /** How long the broker may take for one of them. */
  readonly timeoutMs: number;
  open(host: PrivilegedHost<Static<C>>): V;
}

/** One whose verbs and settings are not known. */
export type AnyPrivileged = Omit<Privileged<object>, 'verbs' | 'open'> & {
  readonly verbs: readonly string[];
  open(host: PrivilegedHost<unknown>): unknown;
};

/** Type-checks the parts against each other. */
export function definePrivileged<V extends Verbs<V>>() {
  return <C extends TSchema>(privileged: Privileged<V, C>): Privileged<V> => privileged as unknown as Privileged<V>;
}
