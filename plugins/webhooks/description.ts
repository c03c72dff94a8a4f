import type { Webhook } from '../../kernel/contract/points/webhook.ts';
import { NamedObject, Type, type TObject } from '../../kernel/schema.ts';
import type { EventTable } from '../../kernel/store/events/event-types.ts';

const DESCRIPTION =
  'Sent to each endpoint of the configuration that asks for the type, until it answers 2xx or the attempts are used up. ' +
  'A delivery may arrive more than once; `id` is then the same. Signed as Standard Webhooks are.';
const HEADERS = {
  'webhook-id': 'The id of the event: the same in every attempt.',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970.',
  'webhook-signature':
    '`v1,<base64>` for each secret of the endpoint, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.',
};

/** Sent when an operator asks for it, and not recorded. */
const TEST = { text: 'An operator tests the endpoint' };

/** Returns what is sent for each event, as `bodyOf` in `delivery.ts` writes it. */
export function describeWebhooks(events: EventTable): Webhook[] {
  return Object.entries<EventTable[string]>({ ...events, 'webhook.test': TEST }).map(([type, { text, data }]) => ({
    name: type,
    summary: text,
    description: DESCRIPTION,
    headers: HEADERS,
    body: bodySchema(type, data),
  }));
}

function bodySchema(type: string, data: TObject = NamedObject('NoData', {})): TObject {
  const name = type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase());
  return NamedObject(`${name}Event`, {
    id: Type.String({ description: 'The same in every attempt' }),
    type: Type.Literal(type),
    at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
    account_id: Type.Union([Type.Integer(), Type.Null()], { description: 'null for an event of the server' }),
    username: Type.String({ description: 'Empty for an event of the server' }),
    ip: Type.String({ description: 'Address of the client; empty for the command line' }),
    node: Type.Union([Type.String(), Type.Null()], { description: 'The node of a fleet that recorded it, if any' }),
    text: Type.String({ description: 'The line of the activity log' }),
    data: 'title' in data ? data : { ...data, title: `${name}Data` },
  });
}
