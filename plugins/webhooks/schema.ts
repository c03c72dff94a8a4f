import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

const Url = Type.String({ pattern: '^https?://', maxLength: 2048, description: 'Receives a POST for each event' });
const Events = { minItems: 1, maxItems: 50, description: 'Event types to send; * matches anything, as in domain.*' };
const EventPattern = Type.String({ pattern: '^[a-z0-9_.*-]+$', maxLength: 100 });

const Endpoint = Type.Object(
  {
    url: Url,
    secret: Type.String({
      minLength: 16,
      maxLength: 512,
      writeOnly: true,
      description: 'Key of the signatures, as Standard Webhooks write it: whsec_ and 24 to 64 bytes in base64',
    }),
    previous_secret: Type.Optional(
      Type.String({
        minLength: 16,
        maxLength: 512,
        writeOnly: true,
        description: 'Signs as well, until the receiver knows the new secret',
      }),
    ),
    events: Type.Array(EventPattern, { ...Events, default: ['*'] }),
  },
  closed,
);
export type EndpointConfig = Static<typeof Endpoint>;

export function endpointSecrets({ secret, previous_secret: previous }: EndpointConfig): string[] {
  return previous === undefined ? [secret] : [secret, previous];
}

export const WebhooksConfig = Type.Object(
  {
    endpoints: Type.Array(Endpoint, { maxItems: 20, default: [], description: 'Where signed events are sent' }),
    allow_console: Type.Boolean({
      default: false,
      description: 'Administrators may add endpoints in the console; while false, those are kept and not used',
    }),
    allow_private: Type.Boolean({
      default: false,
      description: 'Also deliver to private, loopback and link-local addresses',
    }),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 5000,
      description: 'Time limit for an attempt',
    }),
    attempts: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 15,
      description: 'Attempts before a delivery is given up',
    }),
    age_hours: Type.Number({
      exclusiveMinimum: 0,
      maximum: 720,
      default: 72,
      description: 'Age at which a delivery is given up',
    }),
    backoff_ms: Type.Integer({
      minimum: 1,
      maximum: 600_000,
      default: 5000,
      description:
        'Delay before the second attempt, doubled before each later one up to six hours; a Retry-After of a 429 or ' +
        '503 can lengthen it, up to an hour',
    }),
    backlog: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Maximum number of deliveries waiting for one endpoint; the oldest are dropped first',
    }),
  },
  closed,
);
export type WebhooksConfig = Static<typeof WebhooksConfig>;

const TimeOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Id = Type.String({
  description: 'Stays the same; that of an endpoint of the configuration changes with its URL',
});
const Label = Type.String({
  description:
    'Host, port and place in the configuration, or c and a number in the console; the URL may contain a secret',
});
const EndpointView = NamedObject('Webhook', {
  id: Id,
  endpoint: Label,
  events: Type.Array(Type.String(), { maxItems: 50, description: 'Types that it gets; * stands for anything' }),
  waiting: Type.Integer({ description: 'Deliveries that wait, also for another attempt' }),
  delivered: Type.Integer({ description: 'Deliveries that it accepted, since it was first used' }),
  failed: Type.Integer({ description: 'Attempts that failed' }),
  given_up: Type.Integer({ description: 'Deliveries that were given up' }),
  delivered_at: TimeOrNull('Last success; RFC 3339, UTC'),
  failed_at: TimeOrNull('Last attempt that failed'),
  reason: Type.String({ description: 'Why it failed; empty if none did' }),
  next_attempt_at: TimeOrNull('When the next delivery is tried'),
  editable: Type.Boolean({ description: 'Whether it was added here, and not in the configuration' }),
  has_previous_secret: Type.Boolean({ description: 'Whether a former secret signs as well' }),
});
export type EndpointView = Static<typeof EndpointView>;
export const EndpointList = NamedObject('WebhookList', {
  webhooks: Type.Array(EndpointView, { maxItems: 40, description: 'Those of the configuration first' }),
  editable: Type.Boolean({ description: 'Whether the configuration allows to add some here (webhooks.allow_console)' }),
});
export const EndpointParams = Type.Object({
  id: Type.String({ maxLength: 64, description: 'From GET /api/webhooks' }),
});
export const EndpointBody = NamedObject(
  'NewWebhook',
  { url: Url, events: Type.Array(EventPattern, { ...Events, default: ['*'] }) },
  { ...closed, examples: [{ url: 'https://hooks.example/hostkeep', events: ['account.*', 'domain.*'] }] },
);
export type EndpointBody = Static<typeof EndpointBody>;
export const EndpointChange = NamedObject(
  'WebhookChange',
  { url: Type.Optional(Url), events: Type.Optional(Type.Array(EventPattern, Events)) },
  { ...closed, minProperties: 1, examples: [{ events: ['*'] }] },
);
export type EndpointChange = Static<typeof EndpointChange>;
const Secret = Type.String({ description: 'Key of the signatures, as Standard Webhooks write it; shown now only' });
export const AddedEndpoint = NamedObject('WebhookAdded', { id: Id, endpoint: Label, secret: Secret });
export const RenewedSecret = NamedObject('WebhookSecret', { id: Id, secret: Secret });
export const EndpointChanged = NamedObject('WebhookChanged', { id: Id, changed: Type.Boolean() });
export const TestedEndpoint = NamedObject('WebhookTest', {
  id: Id,
  endpoint: Label,
  accepted: Type.Boolean({ description: 'Whether the answer is 2xx' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the answer; null if there was none' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why there was no answer' }),
  ms: Type.Integer({ description: 'How long it took' }),
});
export type TestedEndpoint = Static<typeof TestedEndpoint>;
export const RedeliverBody = NamedObject(
  'RedeliveryRequest',
  {
    event_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      description: 'An event of the log; null for all deliveries that wait',
    }),
  },
  { ...closed, examples: [{ event_id: null }] },
);
export const Redelivered = NamedObject('Redelivery', {
  id: Id,
  endpoint: Label,
  queued: Type.Integer({ description: 'Deliveries that are made at once' }),
});

export const AttemptList = NamedObject('WebhookAttempts', {
  attempts: Type.Array(
    NamedObject('WebhookAttempt', {
      event_id: Type.Integer(),
      type: Type.String({ description: 'Type of the event' }),
      at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
      ms: Type.Integer({ description: 'How long it took' }),
      status: Type.Union([Type.Integer(), Type.Null()], { description: 'Of the answer; null if there was none' }),
      accepted: Type.Boolean({ description: 'Whether the answer is 2xx' }),
      reason: Type.String({ description: 'Why it failed; empty if it did not' }),
      payload: Type.String({ description: 'The JSON that was sent' }),
      answer: Type.String({ description: "The first 2 KiB of the answer's body" }),
    }),
    { maxItems: 20, description: 'Newest first' },
  ),
});
export type AttemptList = Static<typeof AttemptList>;
