import { NodeName, ofNode } from '../../kernel/contract/forwarding.ts';
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
    remote_disks: Type.Boolean({
      default: false,
      description: 'Whether to include network file systems and FUSE, if they answer',
    }),
    roots: Type.Object(
      {
        proc: Type.String({
          default: '/proc',
          description: "Where the host's /proc is mounted, for a server in a container",
        }),
        sys: Type.String({ default: '/sys', description: "The same for the host's /sys" }),
        files: Type.String({ default: '/', description: "The same for the host's root file system" }),
      },
      { ...closed, default: {} },
    ),
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
          'for what only the caller knows. The account jane and the plan starter are those of the examples that create them',
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

const Partition = NamedObject('Partition', {
  device: Type.String(),
  free: Bytes('available to unprivileged users, as in df'),
  fstype: Type.String(),
  mountpoint: Type.String(),
  percent: Percent,
  total: Bytes('size'),
  used: Bytes('in use'),
});
export type Partition = Static<typeof Partition>;

export const Disks = Type.Array(Partition, {
  description:
    'File systems on devices, each once, without read-only images, network file systems (unless configured) and ' +
    'those that do not answer',
});

export const AccountsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  cursor: Type.String({ maxLength: 64, default: '', description: 'next_cursor of the previous page' }),
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
const AccountUsage = NamedObject('CustomerUsage', {
  user_id: Type.Integer(),
  username: Type.String(),
  plan: Type.Union([Type.String(), Type.Null()]),
  suspended: Type.Boolean(),
  disk_kib: ResourceUse,
  inodes: ResourceUse,
  domains: ResourceUse,
  websites: ResourceUse,
  databases: ResourceUse,
  bandwidth: ResourceUse,
  measured_at: Type.Union([Type.String(), Type.Null()], {
    description: 'When disk and inodes were counted: RFC 3339, UTC; null before that. The rest is counted now',
  }),
});
export type AccountUsage = Static<typeof AccountUsage>;
export const AccountUsagePage = NamedObject('CustomerUsagePage', {
  accounts: Type.Array(AccountUsage, { description: 'Customers by name' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Cursor of the next page; null on the last one',
  }),
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
