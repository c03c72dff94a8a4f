import {
  SERVICE_LABEL,
  type ContainerChange,
  type ContainerDetails,
  type ContainerLimits,
  type Containers,
  type FiguresSample,
  type ListedContainer,
  type OwnContainer,
  type ReachedContainer,
} from '../../kernel/contract/points/containers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { EngineMonitor } from './engine-monitor.ts';
import { isOwnedBy } from './engine/container-snapshot.ts';
import { readLabel, type Container } from './engine/container.ts';
import { unavailable } from './errors.ts';

/** A container that ignores signals is stopped after ten seconds. */
const CHANGE_MS = 30_000;
const DETAIL = 'the container engine gives no usable answer';

/** Offers other plugins the containers of accounts; one without an engine has none. The owner is looked up for each call. */
export class AccountContainers implements Containers {
  readonly #monitorOf: (account: Account) => EngineMonitor | undefined;

  constructor(monitorOf: (account: Account) => EngineMonitor | undefined) {
    this.#monitorOf = monitorOf;
  }

  async running(account: Account): Promise<readonly ListedContainer[]> {
    return ((await this.#monitorOf(account)?.list.read())?.of(account) ?? []).map(listed); // none without an engine
  }

  async all(account: Account): Promise<readonly ReachedContainer[]> {
    return (await this.#owned(account)).map(({ container, address }) => ({ ...listed(container), address }));
  }

  async figures(account: Account): Promise<readonly FiguresSample[]> {
    return (await this.#monitorOf(account)?.sampler.samples(account)) ?? [];
  }

  async find(account: Account, id: string): Promise<OwnContainer | undefined> {
    const engine = this.#monitorOf(account)?.engine;
    const found = (await this.#owned(account)).find(({ container }) => container.id === id)?.container;
    if (engine === undefined || found === undefined) return undefined;
    const client = { client: account.id };
    return {
      listed: listed(found),
      engine: engine.access,
      details: (): Promise<ContainerDetails> => usable(engine.ask('details', { id }, client)),
      change: async (change: ContainerChange, limits: ContainerLimits = {}) => {
        if (readLabel(found.labels, SERVICE_LABEL) !== undefined)
          return 'it is changed with the services of the account';
        const options = { ...client, timeoutMs: CHANGE_MS };
        return (await usable(engine.ask('change', { id, change, limits }, options))) ?? undefined;
      },
      lines: (most, after = '', text = '') => usable(engine.ask('lines', { id, most, after, text }, client)),
    };
  }

  async #owned(account: Account) {
    const engine = this.#monitorOf(account)?.engine;
    if (engine === undefined) return [];
    const all = await usable(engine.ask('containers', { all: true }, { client: account.id }));
    const isOwner = ({ labels }: Container) => engine.isOwn || isOwnedBy(labels, account);
    const others = all.filter((each) => engine.isOwn || !isOwner(each)); // an own engine's addresses lead nowhere here
    const shared = new Set(['bridge', ...others.flatMap(({ networks }) => networks.map(({ name }) => name))]);
    const address = ({ networks }: Container) =>
      networks.find((each) => each.address !== '' && !shared.has(each.name))?.address ?? '';
    return all.filter(isOwner).map((container) => ({ container, address: address(container) }));
  }
}

function usable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw unavailable(error, DETAIL);
  });
}

function listed({ id, names, image, labels, state, status, createdSeconds, ports }: Container): ListedContainer {
  const service = readLabel(labels, 'com.docker.compose.service') ?? '';
  return { id, names, image, service, state, status, createdSeconds, ports };
}
