/** Names at a server that are not customers' to choose: those of customers have letters, digits and underscores only. */

/** Rights of a user on a database. */
export const LEVELS = ['owner', 'read_write', 'read_only'] as const;

/** The owner of all databases, which nobody is a member of: so a customer can neither drop nor set up a database by SQL. */
export const DATABASES = 'hostkeep-databases';
/** All roles of customers are members of it, and no other is; an operator may name it in pg_hba.conf. */
export const USERS = 'hostkeep-users';

/** Of the server, in bytes. */
const NAME_BYTES = 63;
const SUFFIXES = { owner: '-owner', read_write: '-write', read_only: '-read' } as const;
/** Room for the longest suffix, also for those of users for one purpose. */
export const DATABASE_NAME_BYTES = NAME_BYTES - 7;
export const USER_NAME_BYTES = NAME_BYTES;
/** The server keeps names that begin so for itself. */
export const RESERVED = 'pg_';

/** Returns the role whose members may do with a database what the level says. */
export const groupFor = (database: string, level: (typeof LEVELS)[number]): string => `${database}${SUFFIXES[level]}`;
