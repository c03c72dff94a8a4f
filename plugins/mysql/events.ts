import { OfSize } from '../../kernel/kit/databases/size-limit.ts';
import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDatabase = Type.Object({ database: Type.String() });
const OfWork = Type.Object({ database: Type.String(), is_whole: Type.Boolean() });
const OfUser = Type.Object({ user: Type.String(), host: Type.String() });
const OfAccess = Type.Object({ user: Type.String(), host: Type.String(), database: Type.String() });

/** The events that this plugin records. */
export const events = {
  'database.created': { text: 'A database was created', data: OfDatabase },
  'database.dropped': { text: 'A database was dropped', data: OfDatabase },
  'database.imported': { text: 'A dump was imported into a database', data: OfWork },
  'database.optimized': { text: 'The tables of a database were optimized', data: OfWork },
  'database.checked': { text: 'The tables of a database were checked', data: OfWork },
  'database.repaired': { text: 'Damaged tables of a database were repaired', data: OfWork },
  'database_user.created': { text: 'A database user was created', data: OfUser },
  'database_user.dropped': { text: 'A database user was dropped', data: OfUser },
  'database_user.password_changed': { text: 'A database user got a new password', data: OfUser },
  'database_user.access_granted': { text: 'A database user got rights on a database', data: OfAccess },
  'database_user.access_revoked': { text: 'A database user lost its rights on a database', data: OfAccess },
  'database_user.process_ended': { text: 'A process of a database user was ended', data: OfUser },
  'databases.writing_stopped': {
    text: 'Databases take no more than can be deleted, as they have reached the size of the plan',
    data: OfSize,
  },
  'databases.writing_resumed': { text: 'Databases can be written again', data: OfSize },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
