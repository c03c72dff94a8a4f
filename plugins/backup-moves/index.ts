import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { AccountBackups } from '../../kernel/areas/backups/account-backups.ts';
import { fail } from './errors.ts';
import { backupMover } from './mover.ts';

/** Moves backups together with their account; does nothing at a node by itself. */
export default definePlugin({
  name: 'backup-moves',
  description: 'Backups that move with their account from one node of a fleet to another.',
  features: [],
  errors: fail,
  uses: ['backups'],
  routes: {},
  setup({ identity, node, peer }) {
    const backups = peer<AccountBackups>('backups');
    if (node.fleet === undefined || backups === undefined) return { handlers: {} };
    backups.takeMoves();
    const mover = backupMover({ backups, accounts: identity.accounts });
    return { handlers: {}, provides: { move: () => ({ obstacles: () => [], mover }) } };
  },
});
