import { fail, Unavailable } from '../../kernel/errors.ts';
import { definePlugin, type Host } from '../../kernel/contract/plugin.ts';
import type { FleetConnections } from '../../kernel/contract/points/fleet-node.ts';
import type { Forward } from '../../kernel/contract/forwarding.ts';
import type { FleetPlace } from '../../kernel/contract/node-info.ts';
import { Directory } from './traffic/directory.ts';
import { drain } from './draining.ts';
import { events } from './events.ts';
import { Forwarder } from './traffic/forwarder.ts';
import { Heartbeat } from './heartbeat.ts';
import { FleetListener } from './traffic/listener.ts';
import { fleetNode } from './traffic/fleet-node.ts';
import { forwardedRequest, homeless } from './traffic/forwarded-request.ts';
import { placeFor } from './placement.ts';
import {
  connectionsFinding,
  readFleet,
  fleetHealth,
  listenerFinding,
  fleetMetrics,
  readNode,
  reachFindings,
} from './report.ts';
import { Fleet, FleetConfig, FleetNode, NodeParams } from './schema.ts';
import { settleKeys } from './membership/signing-keys.ts';
import { seenMembers } from './store.ts';

const BY_ITSELF: Fleet = { node: null, nodes: [] };
const refuse = (): never => {
  throw fail.node_not_found('this node is in no fleet');
};
const DRAIN = {
  path: '/api/fleet/:name/drain',
  address: 'admin',
  access: 'admin',
  params: NodeParams,
  reply: FleetNode,
  errors: ['node_not_found'],
} as const;

/** Connects the nodes that share a store; does nothing on a node by itself. */
export default definePlugin({
  name: 'fleet',
  description: 'The nodes that share one store.',
  features: [],
  uses: ['system'],
  events,
  config: FleetConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/fleet',
      address: 'admin',
      access: 'admin',
      summary: 'List the nodes of the fleet by name',
      description: 'From their last heartbeats, which come every 5 seconds. A node by itself has none.',
      reply: Fleet,
    },
    drain: {
      ...DRAIN,
      method: 'PUT',
      summary: 'Drain a node: give it no new accounts',
      description: 'What lives there stays, and is served as before.',
    },
    undrain: {
      ...DRAIN,
      method: 'DELETE',
      summary: 'Take a drained node back: give it new accounts again',
      description: 'It is chosen for new accounts again.',
    },
  },
  async setup(host) {
    const { fleet: place, config } = host.node;
    if (place === undefined) return { handlers: { show: () => BY_ITSELF, drain: refuse, undrain: refuse } };
    if (config.store.url === '')
      throw new Unavailable('this node is in a fleet, and its store is not', 'set store.url to the store of the fleet');
    const { forwarder, listener, service } = await connectNodes(host, place);
    const { store } = host;
    const drainBy = async ({ params: { name }, account, ip }: NodeCall, isDraining: boolean) => {
      await drain(host, name, isDraining, { username: account.username, ip });
      return readNode(store, name);
    };
    return {
      handlers: {
        show: () => readFleet(store, place),
        drain: (call) => drainBy(call, true),
        undrain: (call) => drainBy(call, false),
      },
      provides: {
        metrics: () => fleetMetrics(store, forwarder),
        nodes: async () => (await seenMembers(store)).map((member) => fleetNode(place.membership(), member)),
        placement: (node) => placeFor(store, place.name, node),
        health: async () => {
          const own = listener();
          return [...(await fleetHealth(store, place)), ...(own === undefined ? [] : [listenerFinding(own.fault)])];
        },
        doctor: async () => [
          ...(await fleetHealth(store, place)),
          await connectionsFinding(store, config.store.connections),
          ...(await reachFindings(store, forwarder)),
        ],
      },
      forward: forwardBy(forwarder, host.identity.accounts),
      service,
    };
  },
});

/** After a change at another node, drops what is cached here of the account, so that its client sees the change. */
function forwardBy(forwarder: Forwarder, { cells }: Host['identity']['accounts']): Forward {
  return (node, info, call, authorization) => {
    const answer = forwarder.send(node, forwardedRequest(info, call, authorization));
    const { account } = call;
    if (info.at !== 'home' || account === undefined) return answer;
    const atHome = answer.catch((error: unknown) => {
      throw homeless(node, error);
    });
    return info.method === 'GET' ? atHome : atHome.finally(() => cells.forget(account.id));
  };
}

interface NodeCall {
  readonly params: { readonly name: string };
  readonly account: { readonly username: string };
  readonly ip: string;
}

interface Connected {
  readonly forwarder: Forwarder;
  /** `undefined` where another process of the node listens. */
  listener(): FleetListener | undefined;
  readonly service: FleetConnections;
}

async function connectNodes(host: Host<FleetConfig>, place: FleetPlace): Promise<Connected> {
  const { store, identity, node, log, workers, onClose } = host;
  let listener: FleetListener | undefined;
  let takeIn: Parameters<FleetConnections['accept']>[0] = (socket) => socket.destroy();
  const service: FleetConnections = { accept: (take) => (takeIn = take) };
  const follow: { forwarder?: Forwarder } = {};
  const changed = async (): Promise<void> => {
    if (node.isServing) await settleKeys(store, identity.keys);
    listener?.renew();
    await follow.forwarder?.follow(place.membership());
  };
  const directory = await Directory.start({ store, log, workers, changed });
  onClose(() => directory.close());
  void node.onLeader(() => directory.lead());
  const forwarder = new Forwarder(directory, place.membership());
  follow.forwarder = forwarder;
  onClose(() => forwarder.close());
  if (!node.isServing) return { forwarder, listener: () => undefined, service };
  await node.onLeader(async () => {
    const address = () => host.config.listen || directory.get(place.name)?.address;
    const hasKey = (name: string, digest: string) => directory.hasKey(name, digest);
    const findKey = (name: string, digest: string) => directory.findKey(name, digest);
    const direct: typeof takeIn = (socket, name) => takeIn(socket, name);
    listener = await FleetListener.start({ workers, place, address, log, hasKey, findKey, takeIn: direct });
    onClose(() => listener?.close());
    const heartbeat = new Heartbeat({ ...host, place });
    onClose(() => heartbeat.close());
  });
  return { forwarder, listener: () => listener, service };
}
