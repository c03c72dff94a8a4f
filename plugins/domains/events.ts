import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const WHICH = { domain_id: Type.Integer(), domain_url: Type.String() };
const OfDomain = Type.Object(WHICH);
const Changed = Type.Object({
  ...WHICH,
  by: Type.Optional(Type.String({ description: 'The administrator who did it for the account' })),
});
const OfAdministrator = Type.Object({ ...WHICH, by: Type.String() });
const OfAlias = Type.Object({ ...WHICH, alias: Type.String() });

/** The events that this plugin records. */
export const events = {
  'domain.added': { text: 'A domain was added', data: Changed },
  'domain.removed': { text: 'A domain was removed', data: Changed },
  'domain.suspended': { text: 'A domain was suspended', data: OfDomain },
  'domain.unsuspended': { text: 'The suspension of a domain was lifted', data: OfDomain },
  'domain.held': { text: 'An administrator suspended a domain', data: OfAdministrator },
  'domain.released': { text: 'An administrator lifted the suspension of a domain', data: OfAdministrator },
  'domain.docroot_set': {
    text: 'The document root of a domain was changed',
    data: Type.Object({ ...WHICH, docroot: Type.String() }),
  },
  'domain.alias_added': { text: 'A domain was given a further name', data: OfAlias },
  'domain.alias_removed': { text: 'A further name of a domain was removed', data: OfAlias },
  'domain.spelling_set': { text: 'The spelling of a domain was changed', data: OfDomain },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
