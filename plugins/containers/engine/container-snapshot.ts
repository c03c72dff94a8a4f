import { basename, normalize } from 'node:path';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { readLabel, type Container } from './container.ts';
import type { Labels } from '../../../kernel/kit/engine/untrusted-json.ts';

const OWNER = 'hostkeep.account';
const PROJECT = 'com.docker.compose.project';
const PROJECT_FOLDER = 'com.docker.compose.project.working_dir';

/**
 * Whether the account owns what bears the labels, on an engine that accounts share. `hostkeep.account` names the owner.
 * Without it, a compose project of the account's name is the account's only if it was started from the account's
 * folder: others may have a project of that name.
 */
export function isOwnedBy(labels: Labels, account: Owner): boolean {
  const owner = readLabel(labels, OWNER);
  if (owner !== undefined) return owner === account.username;
  return isOfProject(labels, account) && isFolderOf(account, readLabel(labels, PROJECT_FOLDER) ?? '');
}

/** Whether a compose project of the account's name made what bears the labels, wherever it was started from. */
export const isOfProject = (labels: Labels, { username }: Owner): boolean => readLabel(labels, PROJECT) === username;

type Owner = Pick<Account, 'username' | 'filesRoot'>;

/** Whether a folder is the files root, in it, or the folder of the account's name that holds it. */
function isFolderOf({ username, filesRoot }: Owner, path: string): boolean {
  const folder = normalize(path);
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  return isWithin(folder, filesRoot) || (basename(folder) === username && isWithin(filesRoot, folder));
}

/** The running containers of one engine at one moment. */
export class ContainerSnapshot {
  readonly all: readonly Container[];
  /** Whether the engine is an account's own, so that all of its containers are that account's. */
  readonly isOwn: boolean;
  /** Those that may be an account's, by user name; `undefined` where one account owns all. */
  readonly #byName: ReadonlyMap<string, readonly Container[]> | undefined;

  constructor(all: readonly Container[], isOwn: boolean) {
    [this.all, this.isOwn] = [all, isOwn];
    this.#byName = isOwn ? undefined : groupByName(all);
  }

  of(account: Owner): readonly Container[] {
    if (this.#byName === undefined) return this.all;
    return (this.#byName.get(account.username) ?? []).filter(({ labels }) => isOwnedBy(labels, account));
  }
}

function groupByName(containers: readonly Container[]): Map<string, Container[]> {
  const owned = new Map<string, Container[]>();
  for (const container of containers) {
    const name = readLabel(container.labels, OWNER) ?? readLabel(container.labels, PROJECT) ?? '';
    const list = owned.get(name) ?? [];
    list.push(container);
    owned.set(name, list);
  }
  return owned;
}
