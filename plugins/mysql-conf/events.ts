import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'database.collation_changed': {
    text: 'A database got another character set or collation',
    data: Type.Object({ database: Type.String(), collation: Type.String() }),
  },
  'database_user.limits_changed': {
    text: 'A database user got other limits',
    data: Type.Object({ user: Type.String(), host: Type.String() }),
  },
  'database_server.variable_changed': {
    text: 'An administrator set a variable of a database server',
    data: Type.Object({ server: Type.String(), variable: Type.String(), value: Type.String() }),
  },
  'database_server.variable_reset': {
    text: 'An administrator gave a variable of a database server back to its files',
    data: Type.Object({ server: Type.String(), variable: Type.String() }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
