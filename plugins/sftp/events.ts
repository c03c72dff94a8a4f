import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfLogin = Type.Object({ login: Type.String(), folder: Type.String() });
const OfKey = Type.Object({ login: Type.String(), fingerprint: Type.String() });

/** The events that this plugin records. */
export const events = {
  'sftp.login_added': { text: 'An SFTP login was added', data: OfLogin },
  'sftp.login_moved': { text: 'An SFTP login got another folder', data: OfLogin },
  'sftp.login_removed': { text: 'An SFTP login was removed', data: OfLogin },
  'sftp.password_renewed': { text: 'An SFTP login got a new password', data: OfLogin },
  'sftp.login_failed': {
    text: 'Somebody failed to log in by SFTP',
    data: Type.Object({ login: Type.String(), address: Type.String() }),
  },
  'sftp.key_added': { text: 'A public key was added to an SFTP login', data: OfKey },
  'sftp.key_removed': { text: 'A public key was removed from an SFTP login', data: OfKey },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
