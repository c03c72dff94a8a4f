import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers } from '../../kernel/contract/points/database-servers.ts';
import { fail } from './errors.ts';
import { databaseMover } from './mover.ts';
import { toolsFinding } from './tools.ts';

/** Moves databases on servers together with their account; does nothing at a node by itself. */
export default definePlugin({
  name: 'database-moves',
  description: 'Databases that move with their account from one node of a fleet to another.',
  keepsByName: true,
  features: [],
  errors: fail,
  uses: ['databases'],
  routes: {},
  setup({ local, node, peer }) {
    const servers = peer<DatabaseServers>('databases');
    if (node.fleet === undefined || servers === undefined) return { handlers: {} };
    servers.takeMoves();
    return {
      handlers: {},
      provides: {
        move: () => ({ obstacles: () => [], mover: databaseMover({ servers, local }) }),
        doctor: async () => (servers.names.length === 0 ? [] : [await toolsFinding()]),
      },
    };
  },
});
