import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

/** The events that this plugin records. */
export const events = {
  'setting.changed': {
    text: 'An administrator changed a setting in the console',
    data: Type.Object({
      setting: Type.String({ description: 'Path in the configuration' }),
      value: Type.String({ description: 'As JSON' }),
    }),
  },
  'setting.reset': {
    text: 'An administrator gave a setting back to the configuration files',
    data: Type.Object({ setting: Type.String({ description: 'Path in the configuration' }) }),
  },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
