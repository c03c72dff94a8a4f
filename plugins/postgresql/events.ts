import { LEVELS } from '../../kernel/kit/databases/postgresql/names.ts';
import { OfSize } from '../../kernel/kit/databases/size-limit.ts';
import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDatabase = Type.Object({ database: Type.String() });
const OfWork = Type.Object({ database: Type.String(), is_whole: Type.Boolean() });
const OfUser = Type.Object({ user: Type.String() });
const OfAccess = Type.Object({ user: Type.String(), database: Type.String() });
const OfGrant = Type.Object({ ...OfAccess.properties, level: Type.String({ enum: LEVELS }) });

/** The events that this plugin records. */
export const events = {
  'postgresql.database_created': { text: 'A PostgreSQL database was created', data: OfDatabase },
  'postgresql.database_dropped': { text: 'A PostgreSQL database was dropped', data: OfDatabase },
  'postgresql.database_imported': { text: 'A dump was imported into a PostgreSQL database', data: OfWork },
  'postgresql.database_optimized': { text: 'The tables of a PostgreSQL database were optimized', data: OfWork },
  'postgresql.database_repaired': { text: 'The indexes of a PostgreSQL database were made anew', data: OfWork },
  'postgresql.user_created': { text: 'A PostgreSQL user was created', data: OfUser },
  'postgresql.user_dropped': { text: 'A PostgreSQL user was dropped', data: OfUser },
  'postgresql.password_changed': { text: 'A PostgreSQL user got a new password', data: OfUser },
  'postgresql.access_granted': { text: 'A PostgreSQL user got rights on a database', data: OfGrant },
  'postgresql.access_revoked': { text: 'A PostgreSQL user lost its rights on a database', data: OfAccess },
  'postgresql.process_ended': { text: 'A process of a PostgreSQL user was ended', data: OfUser },
  'postgresql.writing_stopped': {
    text: 'PostgreSQL databases take no more than can be deleted, as they have reached the size of the plan',
    data: OfSize,
  },
  'postgresql.closed': {
    text: 'Full PostgreSQL databases were written on, so that nobody connects to them',
    data: OfSize,
  },
  'postgresql.writing_resumed': { text: 'PostgreSQL databases can be written again', data: OfSize },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
