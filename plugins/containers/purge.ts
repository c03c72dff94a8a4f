import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import { isOfProject, isOwnedBy } from './engine/container-snapshot.ts';
import type { Container } from './engine/container.ts';
import type { EngineClient } from './engine/engine-client.ts';

/** Stopping a container that ignores signals takes ten seconds. */
const OPTIONS = { timeoutMs: 30_000 };
const VOLUME = /^[a-zA-Z0-9][\w.-]*$/;

/** The containers and volumes of an account in an engine. */
interface Possessions {
  readonly containers: readonly Container[];
  /** Names of volumes that carry the account's label, or are of its compose project and mounted by its containers. */
  readonly volumes: readonly string[];
  /** Names of volumes of a compose project of its name that no container mounts: they may be somebody else's. */
  readonly doubtful: readonly string[];
}

/** Errors: those of the engine. */
export async function findPossessions(
  engine: EngineClient,
  account: Pick<RemovedAccount, 'username' | 'filesRoot'>,
): Promise<Possessions> {
  const all = await engine.ask('containers', { all: true }, OPTIONS);
  const containers = all.filter(({ labels }) => isOwnedBy(labels, account));
  const isMountedBy = (users: readonly Container[], volume: string) =>
    users.some(({ mounts }) => mounts.some(({ name }) => name === volume));
  const [volumes, doubtful]: [string[], string[]] = [[], []];
  for (const { name, labels } of await engine.ask('volumes', {}, OPTIONS)) {
    if (!VOLUME.test(name)) continue;
    const isProjects = isOfProject(labels, account);
    if (isOwnedBy(labels, account) || (isProjects && isMountedBy(containers, name))) volumes.push(name);
    else if (isProjects && !isMountedBy(all, name)) doubtful.push(name);
  }
  return { containers, volumes, doubtful };
}

/** Removes a removed account's containers and volumes. Errors: those of the engine. */
export async function purgeContainers(
  engine: EngineClient,
  account: RemovedAccount,
  signal: AbortSignal,
): Promise<PurgePart[]> {
  const { containers, volumes, doubtful } = await findPossessions(engine, account);
  const remove = async (what: 'containers' | 'volumes', names: readonly string[], problems: readonly string[]) => {
    const refused: string[] = [];
    for (const name of names) {
      signal.throwIfAborted();
      const status = await engine.ask('remove', { what, name }, OPTIONS);
      if (status !== null) refused.push(`${name}: the engine answers ${status}`);
    }
    const problem = [...refused, ...problems].join('; ');
    return { what, removed: names.length - refused.length, ...(problem !== '' && { problem }) };
  };
  const unused = `no container uses ${doubtful.join(', ')} of a compose project of this name: remove what is the account's`;
  const ids = containers.map(({ id }) => id);
  return [await remove('containers', ids, []), await remove('volumes', volumes, doubtful.length === 0 ? [] : [unused])];
}
