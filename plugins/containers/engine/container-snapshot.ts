import type { Account } from '../../../kernel/identity/accounts.ts';
import { labelOf, type Container } from './container.ts';
import type { Labels } from './untrusted-json.ts';

/** On an engine that accounts share, each of these labels names the account that owns what bears it. */
const OWNER_LABELS = ['com.docker.compose.project', 'hostkeep.account'] as const;

/** Whether one of the labels names the account as the owner, on an engine that accounts share. */
export function isOwnedBy(labels: Labels, { username }: Account): boolean {
  return OWNER_LABELS.some((label) => labelOf(labels, label) === username);
}

/** The running containers of one engine at one moment. */
export class ContainerSnapshot {
  readonly all: readonly Container[];
  /**
   * By user name; a container whose labels name two accounts belongs to both. `undefined` where one account owns all.
   */
  readonly #byOwner: ReadonlyMap<string, readonly Container[]> | undefined;

  /** `isOwn`: the engine is an account's own, so all of its containers are that account's. */
  constructor(all: readonly Container[], isOwn: boolean) {
    this.all = all;
    this.#byOwner = isOwn ? undefined : groupByOwner(all);
  }

  of({ username }: Account): readonly Container[] {
    return this.#byOwner === undefined ? this.all : (this.#byOwner.get(username) ?? []);
  }
}

function groupByOwner(containers: readonly Container[]): Map<string, Container[]> {
  const owned = new Map<string, Container[]>();
  for (const container of containers) {
    for (const name of new Set(OWNER_LABELS.map((label) => labelOf(container.labels, label)))) {
      const list = owned.get(name);
      if (list === undefined) owned.set(name, [container]);
      else list.push(container);
    }
  }
  return owned;
}
