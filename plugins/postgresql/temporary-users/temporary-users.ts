/** Database users that are made for one use of one database, with rights on it only. */
import { MAINTENANCE } from '../../../kernel/kit/databases/table-maintenance.ts';
import { dropRole, type ServerConnections } from '../../../kernel/kit/databases/postgresql/roles.ts';
import { makeTemporaryUser, type UserLogin } from '../../../kernel/kit/databases/postgresql/temporary-user.ts';

/** Rights, and for how long a statement may run. */
const USES = {
  import: { level: 'owner', seconds: 3600 },
  export: { level: 'owner', seconds: 3600 },
  optimize: { level: 'owner', seconds: MAINTENANCE.tableMs / 1000 },
  check: { level: 'owner', seconds: MAINTENANCE.tableMs / 1000 },
  repair: { level: 'owner', seconds: MAINTENANCE.tableMs / 1000 },
  query: { level: 'read_only', seconds: 15 },
} as const;
export type TemporaryUse = keyof typeof USES;

/** No name that an account can choose ends so. */
const nameOf = (use: TemporaryUse, database: string): string => `${database}-${use}`;

/** Makes the user. Resolves with its login. */
export function makeTemporary(server: ServerConnections, use: TemporaryUse, database: string): Promise<UserLogin> {
  return makeTemporaryUser(server, nameOf(use, database), { database, ...USES[use] });
}

/** Ends what the user does, and drops it, unless it is gone; what it owns becomes that of the database's owners. */
export const retireTemporary = (server: ServerConnections, use: TemporaryUse, database: string): Promise<void> =>
  dropRole(server, nameOf(use, database));
