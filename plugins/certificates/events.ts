import { Type } from '../../kernel/schema.ts';
import type { EventData, EventTable } from '../../kernel/store/events/event-types.ts';

const OfDomain = Type.Object({ domain_url: Type.String() });
const OfCertificate = Type.Object({
  domain_url: Type.String(),
  issuer: Type.String(),
  valid_to: Type.String({ format: 'date-time' }),
});
const Failed = Type.Object({ domain_url: Type.String(), reason: Type.String() });
const Changed = Type.Object({ domain_url: Type.String(), force_https: Type.Boolean(), hsts: Type.Boolean() });

/** The events that this plugin records. */
export const events = {
  'certificate.requested': { text: 'A certificate was asked for', data: OfDomain },
  'certificate.issued': { text: 'A certificate was issued or renewed', data: OfCertificate },
  'certificate.failed': { text: 'A certificate was not issued; it is tried again', data: Failed },
  'certificate.expiring': { text: 'A certificate expires soon', data: OfCertificate },
  'certificate.uploaded': { text: "A customer's own certificate was put in place", data: OfCertificate },
  'certificate.removed': { text: "A customer's own certificate was removed", data: OfDomain },
  'certificate.changed': { text: 'How a domain uses HTTPS was changed', data: Changed },
} as const satisfies EventTable;

declare module '../../kernel/store/events/event-types.ts' {
  interface EventTypes extends EventData<typeof events> {}
}
