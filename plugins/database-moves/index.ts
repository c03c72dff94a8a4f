import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseServers, ManagedUsers } from '../../kernel/areas/database-servers.ts';
import { archivedUsers } from './archived-users.ts';
import { fail } from './errors.ts';
import { databaseMover } from './mover.ts';
import { toolsFinding } from './tools.ts';

/** Moves databases on servers together with their account, in a fleet; and database users to other installations. */
export default definePlugin({
  name: 'database-moves',
  description:
    'Databases that move with their account from one node of a fleet to another, and database users in archives.',
  keepsByName: true,
  features: [],
  errors: fail,
  uses: ['databases', 'mysql'],
  routes: {},
  setup({ local, node, peer }) {
    const [servers, managed] = [peer<DatabaseServers>('databases'), peer<ManagedUsers>('mysql')];
    const leaving = managed === undefined ? {} : { archive: () => archivedUsers(managed) };
    if (node.fleet === undefined || servers === undefined) return { handlers: {}, provides: leaving };
    servers.takeMoves();
    return {
      handlers: {},
      provides: {
        ...leaving,
        move: () => ({ obstacles: () => [], mover: databaseMover({ servers, local }) }),
        doctor: async () => (servers.names.length === 0 ? [] : [await toolsFinding()]),
      },
    };
  },
});
