import {
  SERVICE_LABEL,
  type ContainerChange,
  type ContainerDetails,
  type ContainerLimits,
  type Containers,
  type FiguresSample,
  type ListedContainer,
  type OwnContainer,
} from '../../kernel/areas/containers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { EngineMonitor } from './engine-monitor.ts';
import { ContainerSnapshot } from './engine/container-snapshot.ts';
import { readLabel } from './engine/container.ts';
import { unavailable } from './errors.ts';

/** A container that ignores signals is stopped after ten seconds. */
const CHANGE_MS = 30_000;

/** Offers other plugins the containers of accounts; one without an engine has none. The owner is looked up for each call. */
export class AccountContainers implements Containers {
  readonly #monitorOf: (account: Account) => EngineMonitor | undefined;

  constructor(monitorOf: (account: Account) => EngineMonitor | undefined) {
    this.#monitorOf = monitorOf;
  }

  async running(account: Account): Promise<readonly ListedContainer[]> {
    return listed(await this.#monitorOf(account)?.list.read(), account);
  }

  async all(account: Account): Promise<readonly ListedContainer[]> {
    return listed(await this.#all(account), account);
  }

  async figures(account: Account): Promise<readonly FiguresSample[]> {
    return (await this.#monitorOf(account)?.sampler.samples(account)) ?? [];
  }

  async find(account: Account, id: string): Promise<OwnContainer | undefined> {
    const engine = this.#monitorOf(account)?.engine;
    const all = await this.#all(account);
    const found = all?.of(account).find((each) => each.id === id);
    const shown = listed(all, account).find((each) => each.id === id);
    if (engine === undefined || found === undefined || shown === undefined) return undefined;
    const client = { client: account.id };
    return {
      listed: shown,
      engine: engine.access,
      details: (): Promise<ContainerDetails> => usable(engine.ask('details', { id }, client)),
      change: async (change: ContainerChange, limits: ContainerLimits = {}) => {
        if (readLabel(found.labels, SERVICE_LABEL) !== undefined)
          return 'it is changed with the services of the account';
        const asked = engine.ask('change', { id, change, limits }, { ...client, timeoutMs: CHANGE_MS });
        return (await usable(asked)) ?? undefined;
      },
      lines: (most, after = '', text = '') => usable(engine.ask('lines', { id, most, after, text }, client)),
    };
  }

  /** None without an engine. */
  async #all(account: Account): Promise<ContainerSnapshot | undefined> {
    const engine = this.#monitorOf(account)?.engine;
    if (engine === undefined) return undefined;
    const all = await usable(engine.ask('containers', { all: true }, { client: account.id }));
    return new ContainerSnapshot(all, engine.isOwn);
  }
}

function usable<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw unavailable(error, 'the container engine gives no usable answer');
  });
}

/** Lists an account's among all of an engine. The addresses of an engine of its own lead nowhere here. */
function listed(list: ContainerSnapshot | undefined, account: Account): ListedContainer[] {
  if (list === undefined) return [];
  const owned = list.of(account);
  const others = list.isOwn ? list.all : list.all.filter((each) => !owned.includes(each));
  const shared = new Set(['bridge', ...others.flatMap(({ networks }) => networks.map(({ name }) => name))]);
  return owned.map(({ id, names, image, labels, state, status, createdSeconds, ports, networks }) => {
    const service = readLabel(labels, 'com.docker.compose.service') ?? '';
    const own = networks.find((each) => each.address !== '' && !shared.has(each.name));
    return { id, names, image, service, state, status, createdSeconds, ports, address: own?.address ?? '' };
  });
}
