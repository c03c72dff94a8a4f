import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { FleetConnections } from '../../kernel/contract/points/fleet-node.ts';
import { leftByMove } from './ending.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { Receiver } from './receiver.ts';
import { Reopening } from './reopening.ts';

/** Moves accounts from one node of a fleet to another; does nothing at a node by itself. See `commands.ts`. */
export default definePlugin({
  name: 'moves',
  description: 'Accounts that move from one node of a fleet to another.',
  features: [],
  errors: fail,
  events,
  uses: ['fleet'],
  routes: {},
  async setup(host) {
    const { node, onClose } = host;
    const here = node.fleet?.name;
    if (here === undefined) return { handlers: {} };
    if (node.isServing)
      await node.onLeader(() => {
        const receiver = new Receiver({ ...host, here });
        onClose(() => receiver.close());
        host.peer<FleetConnections>('fleet')?.accept((socket, name) => receiver.accept(socket, name));
        const reopening = new Reopening(host, here);
        onClose(() => reopening.close());
      });
    return { handlers: {}, provides: { purge: ({ username }) => leftByMove(host, username) } };
  },
});
