import { Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;

const Endpoint = Type.Object(
  {
    url: Type.String({ pattern: '^https?://', maxLength: 2048, description: 'Receives a POST for each event' }),
    secret: Type.String({ minLength: 16, maxLength: 512, writeOnly: true, description: 'Key of the HMAC signature' }),
    events: Type.Array(Type.String({ pattern: '^[a-z0-9_.*-]+$', maxLength: 100 }), {
      minItems: 1,
      maxItems: 50,
      default: ['*'],
      description: 'Event types to send; * matches anything, as in domain.*',
    }),
  },
  closed,
);
export type EndpointConfig = Static<typeof Endpoint>;

export const WebhooksConfig = Type.Object(
  {
    endpoints: Type.Array(Endpoint, { maxItems: 20, default: [] }),
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
