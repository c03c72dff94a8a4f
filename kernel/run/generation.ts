import { accountEvents } from '../identity/accounts/account-events.ts';
import { serverEvents } from '../store/events/server-events.ts';
import type { Config } from '../config/configuration.ts';
import type { Core } from './core.ts';
import { dispatchFrom } from '../http/dispatch.ts';
import { RoutingTable } from '../http/routing-table.ts';
import type { Log } from '../log.ts';
import type { FleetPlace, Membership, NodeInfo } from '../contract/node-info.ts';
import type { Address } from '../contract/route-spec.ts';
import { isOn, type InstalledPlugin } from '../host/discovery.ts';
import { effectiveSettings } from './effective-settings.ts';
import { examine } from './examination/examination.ts';
import { linkedFeatures } from '../host/linked-features.ts';
import { PluginSet } from '../host/plugin-set.ts';
import { clockSlackMs, readMembership, innerSockets, writeMembership } from './data/membership.ts';
import { splitHostPort } from '../kit/net/host-port.ts';
import { VERSION } from '../kit/files/project-dir.ts';

const ADDRESSES = ['user', 'admin'] as const;

/** Where requests arrive: at an address, or at the socket for those to it that another node of the fleet admitted. */
export interface Entrance {
  readonly address: Address;
  readonly isInner: boolean;
}

/** One configuration in force, with its plugins and routing tables. */
export interface Generation {
  readonly config: Config;
  readonly plugins: PluginSet;
  /** One for each entrance: both addresses first, then, in a fleet, their inner entrances. */
  readonly tables: readonly (Entrance & { readonly table: RoutingTable })[];
  readonly node: NodeInfo;
}

/** The parts of a node that outlive its configuration. */
export interface Life {
  readonly core: Core;
  readonly log: Log;
  readonly isDemo: boolean;
  readonly isServing: boolean;
  /** The ports in use, which the system chooses if the configuration says 0. */
  readonly ports: Partial<Record<Address, number>>;
  isStopping: boolean;
  readonly applyStored: NodeInfo['applyStored'];
}

/** Sets up the plugins that a configuration switches on. Rejects if their routes clash; they are closed then. */
export async function generate(life: Life, config: Config, installed: readonly InstalledPlugin[]): Promise<Generation> {
  const { core, log } = life;
  const { store, local, events, jobs, workers, leadership, broker, idempotency } = core;
  const plugins = new PluginSet(log);
  const node = nodeInfoOf(life, config, installed, plugins);
  const shared = { store, local, events, jobs, workers, leadership, broker, idempotency, node, identity: core };
  try {
    await plugins.load(installed, config, shared);
    return { config, plugins, tables: tablesOf(core, config, plugins), node };
  } catch (error) {
    await plugins.close();
    throw error;
  }
}

function tablesOf({ membership, accounts }: Core, config: Config, plugins: PluginSet): Generation['tables'] {
  const tables = (isInner: boolean) => {
    // What another node sent goes no further.
    const dispatch = dispatchFrom(membership?.name ?? '', accounts, isInner ? undefined : plugins.forward);
    return ADDRESSES.map((address) => {
      const routes = plugins.routes.filter((route) => route.info.address === address);
      return { address, isInner, table: new RoutingTable(config, address, routes, dispatch, isInner) };
    });
  };
  return membership === undefined ? tables(false) : [...tables(false), ...tables(true)];
}

function nodeInfoOf(life: Life, config: Config, installed: readonly InstalledPlugin[], plugins: PluginSet): NodeInfo {
  const { core, isDemo, isServing, ports } = life;
  const node: NodeInfo = {
    version: VERSION,
    isDemo,
    fleet: core.membership && fleetPlaceOf(core.membership, config.data, core.workers.number),
    clockSlackMs: clockSlackMs(core.membership),
    leases: core.leases,
    isServing,
    isStopping: () => life.isStopping,
    config,
    locales: core.locales,
    routes: () => plugins.infos,
    plugins: () => plugins.statuses,
    events: () => ({ ...accountEvents, ...serverEvents, ...plugins.events }),
    features: (locale) => linkedFeatures(plugins.gather, core.locales, locale),
    providedFeatures: ({ features }) => [...features].filter((name) => plugins.features.has(name)).toSorted(),
    usableFeatures: (account) => node.providedFeatures(account).filter((name) => plugins.allows(name)),
    url: (address) => urlOf(config, address, ports[address]),
    examine: () => examine({ core, node, gather: plugins.gather }),
    settings: async () => {
      const on = installed.filter((each) => isOn(each, config));
      return effectiveSettings(config, await Promise.all(on.map((each) => each.load())));
    },
    applyStored: (trial) => life.applyStored(trial),
  };
  return node;
}

function fleetPlaceOf(atStart: Membership, data: string, worker: number): FleetPlace {
  const membership = () => readMembership(data) ?? atStart;
  return {
    name: atStart.name,
    sockets: innerSockets(data, worker),
    membership,
    renew: (certificate) => writeMembership(data, { ...membership(), certificate }),
  };
}

function urlOf(config: Config, address: Address, port: number | undefined): string {
  const { host, port: configured } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
  return `${config.tls.cert === '' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port ?? configured}`;
}
