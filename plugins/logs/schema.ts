import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const LogsConfig = Type.Object(
  {
    streams: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 200,
      description: 'Live logs that may be open at once',
    }),
    streams_of_account: Type.Integer({ minimum: 1, maximum: 1000, default: 4, description: 'Those of one account' }),
  },
  { additionalProperties: false },
);
export type LogsConfig = Static<typeof LogsConfig>;

const domain = Type.String({ minLength: 1, maxLength: 255, description: 'A domain of the account' });
const kind = Type.String({
  enum: ['access', 'error'],
  default: 'access',
  description: 'access = requests, in the combined format; error = what went wrong',
});
const Filter = {
  text: Type.String({ maxLength: 200, default: '', description: 'Lines that contain it, in any case' }),
  status: Type.String({
    pattern: '^([1-5]([0-9]{2}|xx))?$',
    default: '',
    description: 'Requests with this status: 404, or 4xx for all of a class',
  }),
  method: Type.String({ pattern: '^[A-Z]{0,20}$', default: '', description: 'Requests with this method' }),
};

export const LinesQuery = Type.Object({
  domain_url: domain,
  kind,
  ...Filter,
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Lines from then on' })),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.String({
    pattern: '^([0-9]{1,9}\\.[0-9]{1,15})?$',
    default: '',
    description: 'next_cursor of the previous page',
  }),
});
export const StreamQuery = Type.Object({ domain_url: domain, kind, ...Filter });
export const DownloadQuery = Type.Object({ domain_url: domain, kind });

const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const CountOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });
export const LogLine = NamedObject('LogLine', {
  at: OrNull('RFC 3339, UTC; null where the line has none that can be read, as all below'),
  ip: OrNull('Of the visitor'),
  method: OrNull('Of the request'),
  path: OrNull('With the query'),
  status: CountOrNull('Of the reply; null for errors'),
  bytes: CountOrNull('Of the body of the reply; null for errors'),
  referrer: OrNull('The page that leads here, as the visitor says'),
  agent: OrNull('The browser, as the visitor says'),
  level: OrNull('Of an error: error, crit, alert, emerg'),
  text: Type.String({ description: 'The whole line; what is no printable ASCII is written as \\xXX' }),
});
export type LogLine = Static<typeof LogLine>;
export const LogLines = NamedObject('LogLines', {
  lines: Type.Array(LogLine, { description: 'The newest first' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of older lines, also where this page has few as many were passed over; null after the oldest',
  }),
});

export const LogList = NamedObject('LogList', {
  written: Type.Boolean({ description: 'Whether the web server writes logs; if not, all are empty' }),
  logs: Type.Array(
    NamedObject('SiteLog', {
      domain_url: Type.String(),
      access_bytes: Type.Integer(),
      error_bytes: Type.Integer(),
      written_at: OrNull('When the newest line was written: RFC 3339, UTC; null without any'),
    }),
    { description: 'By domain' },
  ),
  kept_mib: Type.Integer({ description: 'Of each domain, by the plan; 0 = unlimited' }),
  kept_days: Type.Integer({ description: 'By the plan; 0 = unlimited' }),
});

export const Traffic = NamedObject('TrafficOfMonth', {
  counted: Type.Boolean({ description: 'Whether the web server writes logs; if not, nothing is counted' }),
  since: Type.String({ format: 'date', description: 'The first day of this month, in UTC' }),
  requests: Type.Integer(),
  bytes: Type.Integer({
    description: 'What sites have sent: with nginx, replies with their headers; with Caddy, their bodies alone',
  }),
  limit_mib: Type.Integer({ description: 'By the plan; 0 = unlimited. Sites go on beyond it' }),
});
export type Traffic = Static<typeof Traffic>;
