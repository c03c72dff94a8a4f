import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups } from '../../kernel/areas/backups/account-backups.ts';

/** The parts of a node that both ends of a move work with. */
export interface MoverParts {
  readonly backups: AccountBackups;
  readonly accounts: Host['identity']['accounts'];
}
