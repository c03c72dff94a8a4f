import { Unavailable } from '../../kernel/errors.ts';
import { definePlugin, type Host } from '../../kernel/plugin-api/plugin.ts';
import type { FleetPlace } from '../../kernel/plugin-api/node-info.ts';
import { Directory } from './directory.ts';
import { events } from './events.ts';
import { Forwarder } from './forwarder.ts';
import { Heartbeat } from './heartbeat.ts';
import { FleetListener } from './listener.ts';
import { placeFor } from './placement.ts';
import { fleetOf, healthOf, listenerFinding, metricsOf, reachFindings } from './report.ts';
import { Fleet, FleetConfig } from './schema.ts';
import { settleKeys } from './membership/signing-keys.ts';

const BY_ITSELF: Fleet = { node: null, nodes: [] };

/** Connects the nodes that share a store; does nothing on a node by itself. */
export default definePlugin({
  name: 'fleet',
  description: 'The nodes that share one store.',
  features: [],
  uses: ['usage'],
  config: FleetConfig,
  events,
  routes: {
    show: {
      method: 'GET',
      path: '/api/fleet',
      address: 'admin',
      access: 'admin',
      summary: 'The nodes of the fleet, by name',
      description: 'From their last heartbeats, which come every 5 seconds. A node by itself has none.',
      reply: Fleet,
    },
  },
  async setup(host) {
    const { fleet: place, config } = host.node;
    if (place === undefined) return { handlers: { show: () => BY_ITSELF } };
    if (config.store.url === '')
      throw new Unavailable('this node is in a fleet, and its store is not', 'set store.url to the store of the fleet');
    const { forwarder, listener } = await connectNodes(host, place);
    const { store } = host;
    return {
      handlers: { show: () => fleetOf(store, place) },
      provides: {
        metrics: () => metricsOf(store, forwarder),
        placement: (node) => placeFor(store, place.name, node),
        health: async () => {
          const own = listener();
          return [...(await healthOf(store, place)), ...(own === undefined ? [] : [listenerFinding(own.fault)])];
        },
        doctor: async () => [...(await healthOf(store, place)), ...(await reachFindings(store, forwarder))],
      },
      forward: forwarder.send,
    };
  },
});

interface Connected {
  readonly forwarder: Forwarder;
  /** `undefined` where another process of the node listens. */
  listener(): FleetListener | undefined;
}

async function connectNodes(host: Host<FleetConfig>, place: FleetPlace): Promise<Connected> {
  const { store, identity, node, log, onClose, background } = host;
  let listener: FleetListener | undefined;
  const follow: { forwarder?: Forwarder } = {};
  const changed = async (): Promise<void> => {
    if (node.isServing) await settleKeys(store, identity.keys);
    listener?.renew();
    await follow.forwarder?.follow(place.membership());
  };
  const directory = await Directory.start({ store, log, changed });
  onClose(() => directory.close());
  const forwarder = new Forwarder(directory, place.membership());
  follow.forwarder = forwarder;
  onClose(() => forwarder.close());
  if (!node.isServing) return { forwarder, listener: () => undefined };
  await background(async () => {
    const listen = host.config.listen || directory.get(place.name)?.address || '';
    const hasKey = (name: string, digest: string) => directory.hasKey(name, digest);
    listener = await FleetListener.start({ place, listen, log, hasKey });
    onClose(() => listener?.close());
    const heartbeat = Heartbeat.start({ ...host, place });
    onClose(() => heartbeat.close());
  });
  return { forwarder, listener: () => listener };
}
