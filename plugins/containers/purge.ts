import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import { isOfProject, isOwnedBy } from './engine/container-snapshot.ts';
import type { Container } from './engine/container.ts';
import type { EngineClient } from './engine/engine-client.ts';

/** Stopping a container that ignores signals takes ten seconds. */
const TIMEOUT_MS = 30_000;
const GONE = new Set([200, 204, 404]);
const VOLUME = /^[a-zA-Z0-9][\w.-]*$/;

type Owner = Pick<RemovedAccount, 'id' | 'username' | 'filesRoot'>;

/** Resolves with the names of an account's containers and volumes, those included that may be somebody else's. Errors: those of the engine. */
export async function namesOfAll(engine: EngineClient, account: Owner): Promise<string[]> {
  const containers = await engine.ask('containers', { all: true }, { timeoutMs: TIMEOUT_MS });
  const own = containers.filter(({ labels }) => isOwnedBy(labels, account));
  const others = containers.filter(({ labels }) => !isOwnedBy(labels, account));
  const volumes = await volumesOf(engine, account, mountedBy(own), mountedBy(others));
  return [...own.map(({ names, id }) => names[0] ?? id), ...volumes.own, ...volumes.doubtful];
}

/** Removes a removed account's containers and volumes. Errors: those of the engine. */
export async function purgeContainers(
  engine: EngineClient,
  account: RemovedAccount,
  signal: AbortSignal,
): Promise<PurgePart[]> {
  const containers = await engine.ask('containers', { all: true }, { timeoutMs: TIMEOUT_MS });
  const [own, others] = [true, false].map((isOwn) =>
    containers.filter((container) => isOwnedBy(container.labels, account) === isOwn),
  );
  const volumes = await volumesOf(engine, account, mountedBy(own), mountedBy(others));
  const ids = own?.map(({ id }) => id) ?? [];
  const removed = await removeAll(engine, 'containers', ids, { force: 'true', v: 'true' }, signal);
  return [removed, withDoubtful(await removeAll(engine, 'volumes', volumes.own, {}, signal), volumes.doubtful)];
}

/**
 * Those that carry the account's label, and those of its compose project, which its containers mount. A volume of a
 * project of that name that no container mounts may be somebody else's: the operator decides.
 */
async function volumesOf(
  engine: EngineClient,
  account: Owner,
  mounted: ReadonlySet<string>,
  mountedElsewhere: ReadonlySet<string>,
): Promise<{ own: string[]; doubtful: string[] }> {
  const all = await engine.ask('volumes', {}, { timeoutMs: TIMEOUT_MS });
  const volumes = all.filter(({ name }) => VOLUME.test(name));
  const ofProject = volumes.filter(({ labels: given }) => isOfProject(given, account)).map(({ name }) => name);
  const labelled = volumes.filter(({ labels: given }) => isOwnedBy(given, account)).map(({ name }) => name);
  const own = new Set([...labelled, ...ofProject.filter((name) => mounted.has(name))]);
  return { own: [...own], doubtful: ofProject.filter((name) => !own.has(name) && !mountedElsewhere.has(name)) };
}

const mountedBy = (containers: readonly Container[] = []) =>
  new Set(containers.flatMap(({ mounts }) => mounts.map(({ name }) => name)));

function withDoubtful(part: PurgePart, doubtful: readonly string[]): PurgePart {
  if (doubtful.length === 0) return part;
  const problem = `no container uses ${doubtful.join(', ')} of a compose project of this name: remove what is the account's`;
  return { ...part, problem: part.problem === undefined ? problem : `${part.problem}; ${problem}` };
}

async function removeAll(
  engine: EngineClient,
  what: 'containers' | 'volumes',
  names: readonly string[],
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<PurgePart> {
  const problems: string[] = [];
  for (const name of names) {
    signal.throwIfAborted();
    const request = { method: 'DELETE', path: `/${what}/${name}`, query } as const;
    const { status } = await engine.ask('request', request, { timeoutMs: TIMEOUT_MS });
    if (!GONE.has(status)) problems.push(`${name}: the engine answers ${status}`);
  }
  return {
    what,
    removed: names.length - problems.length,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
}
