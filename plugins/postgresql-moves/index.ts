import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { PostgresqlServers } from '../../kernel/areas/database-servers.ts';
import { fail } from './errors.ts';
import { postgresqlMover } from './mover.ts';

/** Moves databases and users of PostgreSQL together with their account; does nothing at a node by itself. */
export default definePlugin({
  name: 'postgresql-moves',
  description: 'Databases of PostgreSQL that move with their account from one node of a fleet to another.',
  keepsByName: true,
  features: [],
  errors: fail,
  uses: ['postgresql'],
  routes: {},
  setup({ local, node, peer }) {
    const servers = peer<PostgresqlServers>('postgresql');
    if (node.fleet === undefined || servers === undefined) return { handlers: {} };
    servers.takeMoves();
    return {
      handlers: {},
      provides: { move: () => ({ obstacles: () => [], mover: postgresqlMover({ servers, local }) }) },
    };
  },
});
