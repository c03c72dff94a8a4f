import { NodeName, ofNode } from '../../kernel/contract/forwarding.ts';
import { AccountFigures, FIGURES } from '../../kernel/contract/points/account-report.ts';
import { Partition } from '../../kernel/areas/machine.ts';
import { NextCursor } from '../../kernel/kit/position.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const closed = { additionalProperties: false } as const;
const Bytes = (description: string) => Type.Integer({ minimum: 0, description: `Bytes; ${description}` });
const Percent = Type.Number({ minimum: 0, maximum: 100, description: 'With one decimal' });

export const UsageConfig = Type.Object(
  {
    access: Type.String({
      enum: ['admin', 'feature'],
      default: 'admin',
      description: 'admin: administrators only; feature: also accounts with the feature usage',
    }),
    interval_ms: Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 1000,
      description: 'Time between two samples while there are readers',
    }),
    streams: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 2000,
      description: 'Maximum number of open streams',
    }),
    streams_of_user: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 10,
      description: 'Maximum number of open streams of one account',
    }),
    streams_of_admin: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 20,
      description: 'Maximum number of open streams of one administrator',
    }),
  },
  closed,
);
export type UsageConfig = Static<typeof UsageConfig>;

export const NodeQuery = Type.Object(ofNode);

export const Stats = NamedObject('UsageStats', {
  usage_stats: Type.String({
    description:
      'One JSON object per line for each day (UTC) on which the server ran, today last: timestamp (YYYY-MM-DD), ' +
      'users, domains, websites',
  }),
});

export const Endpoints = NamedObject('EndpointList', {
  endpoints: Type.Array(
    NamedObject('Endpoint', {
      method: Type.String(),
      path: Type.String(),
      description: Type.String(),
      example: Type.String({
        description:
          'A curl command. It reads the token from the shell variable TOKEN; PASSWORD and other words in capitals stand ' +
          'for what only the caller knows. Examples that change something name the account jane and the plan starter, which others create',
      }),
    }),
  ),
});
export type Endpoint = Static<typeof Endpoints>['endpoints'][number];

export const Cpu = Type.Record(Type.String({ pattern: '^core_[0-9]+$' }), Percent, {
  title: 'CpuLoad',
  description:
    'Load of each core since the last sample: all time except idle and I/O wait. A core that has just come online ' +
    'is left out of one sample',
});

export const Memory = NamedObject('Memory', {
  human_readable_info: NamedObject(
    'MemoryText',
    { available: Type.String(), percent: Type.String(), total: Type.String(), used: Type.String() },
    { description: 'In GB (2^30 bytes)' },
  ),
  ram_info: NamedObject('MemoryBytes', {
    available: Bytes('what programs can still allocate'),
    percent: Percent,
    total: Bytes('memory of the machine, or the limit of the container'),
    used: Bytes('total minus available, as in free'),
  }),
});
export type Memory = Static<typeof Memory>;

export const Disks = Type.Array(Partition, {
  description:
    'File systems on devices, each once, without read-only images, network file systems (unless configured) and ' +
    'those that do not answer',
});

export const AccountsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  cursor: Type.String({
    maxLength: 1024,
    default: '',
    description: 'next_cursor of the previous page, in the same order',
  }),
  sort: Type.String({
    enum: ['username', ...FIGURES.flatMap((figure) => [figure, `-${figure}`])],
    default: 'username',
    description:
      'Ascending, or descending with a minus; what is not known counts as less than nothing. While figures change, a customer ' +
      'may be on two pages or on none',
  }),
  q: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of the user name or of the e-mail address, in any case' }),
  ),
  plan: Type.Optional(Type.String({ maxLength: 64 })),
  suspended: Type.Optional(Type.Boolean()),
  node: Type.Optional(
    NodeName('Only the customers of this node of a fleet, which answers; those of all nodes unless given'),
  ),
});
export type AccountsQuery = Static<typeof AccountsQuery>;

const ResourceUse = NamedObject('UsedOfPlan', {
  used: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null while it is not known, as it is for customers of other nodes',
  }),
  limit: Type.Integer({ description: 'By the plan; 0 = unlimited' }),
});
const Speed = NamedObject('SpeedOfPlan', {
  used: Type.Union([Type.Number(), Type.Null()], {
    description: 'Mbit/s that sites sent on average today (UTC); null where it is not known',
  }),
  limit: Type.Integer({ description: 'By the plan, in Mbit/s; 0 = unlimited' }),
});
const AccountUsage = NamedObject('CustomerUsage', {
  user_id: Type.Integer(),
  username: Type.String(),
  plan: Type.Union([Type.String(), Type.Null()]),
  suspended: Type.Boolean(),
  cpu_percent: AccountFigures.properties.cpu_percent,
  memory_bytes: AccountFigures.properties.memory_bytes,
  disk_kib: ResourceUse,
  inodes: ResourceUse,
  domains: ResourceUse,
  memory_kib: ResourceUse,
  processor_percent: ResourceUse,
  processes: ResourceUse,
  disk_read_kib_per_second: ResourceUse,
  disk_written_kib_per_second: ResourceUse,
  websites: ResourceUse,
  databases: ResourceUse,
  traffic_mib: ResourceUse,
  bandwidth: Speed,
  measured_at: Type.Union([Type.String(), Type.Null()], {
    description: 'When disk and inodes were counted: RFC 3339, UTC; null before that. The rest is counted now',
  }),
});
export type AccountUsage = Static<typeof AccountUsage>;
export const AccountUsagePage = NamedObject('CustomerUsagePage', {
  accounts: Type.Array(AccountUsage, { description: 'Customers by name' }),
  next_cursor: NextCursor,
});
export type AccountUsagePage = Static<typeof AccountUsagePage>;

export const METRICS = ['cpu', 'memory', 'disk', 'users', 'domains', 'websites'] as const;
export type MetricName = (typeof METRICS)[number];

const Moment = (description: string) =>
  Type.String({
    pattern: '^([0-9]{1,12}|[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{5,15}(Z|[+-][0-9]{2}:?[0-9]{2})?)?)$',
    description: `Seconds since 1970 or an ISO date and time; ${description}`,
  });

const Time = Type.String({ format: 'date-time', description: 'The same in RFC 3339, UTC' });

export const HistoryQuery = Type.Object({
  metric: Type.Unsafe<MetricName>({ type: 'string', enum: METRICS, default: 'cpu' }),
  from: Type.Optional(Moment('defaults to one hour before the end')),
  to: Type.Optional(Moment('defaults to now')),
  ...ofNode,
  step: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description:
        'Seconds per point; defaults to the finest resolution kept for the range that gives at most 1440 points',
    }),
  ),
});

export const History = NamedObject('UsageHistory', {
  metric: Type.String(),
  unit: Type.String({ description: 'percent or count' }),
  from: Type.Integer({ description: 'Seconds since 1970' }),
  from_at: Time,
  to: Type.Integer({ description: 'Seconds since 1970' }),
  to_at: Time,
  step: Type.Integer({ description: 'Seconds' }),
  points: Type.Array(
    NamedObject('UsagePoint', {
      time: Type.Integer({ description: 'Start of the step, seconds since 1970' }),
      time_at: Time,
      value: Type.Number({ description: 'Mean over the step' }),
    }),
    {
      description: 'Oldest first; steps without samples are left out',
    },
  ),
});
export type History = Static<typeof History>;
