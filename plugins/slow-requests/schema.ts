import { ofNode } from '../../kernel/contract/forwarding.ts';
import { DomainName } from '../../kernel/areas/sites/domain-directory.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const SlowRequestsConfig = Type.Object(
  {
    slow_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 2,
      description: 'Seconds from which on a request is a slow one',
    }),
    kept_days: Type.Integer({
      minimum: 1,
      maximum: 90,
      default: 14,
      description: 'Days for which slow requests are kept',
    }),
  },
  { additionalProperties: false },
);
export type SlowRequestsConfig = Static<typeof SlowRequestsConfig>;

/** The orders of paths, each by what it is of them. */
export const ORDERS = { total: 'tookMs', slowest: 'slowestMs', requests: 'requests', last: 'lastAt' } as const;
export type Order = keyof typeof ORDERS;
const Page = {
  sort: Type.String({
    enum: Object.keys(ORDERS),
    default: 'total',
    description:
      'What those that come first have the most of: the time of all, that of the slowest, requests, or lateness of the last',
  }),
  days: Type.Integer({
    minimum: 1,
    maximum: 90,
    default: 7,
    description: 'From the day on that was so many days ago, in UTC',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.String({ pattern: '^[0-9]{0,6}$', default: '', description: 'next_cursor of the previous page' }),
};
export const SlowPathsQuery = Type.Object({ domain_url: Type.Optional(DomainName), ...Page });
export type SlowPathsQuery = Static<typeof SlowPathsQuery>;
export const NodeSlowPathsQuery = Type.Object({ ...Page, ...ofNode });

const Path = {
  domain_url: Type.String({ description: 'Lower-case ASCII form' }),
  method: Type.String(),
  path: Type.String({ description: 'Without the query; cut off after 300 characters' }),
  requests: Type.Integer({ description: 'The slow ones' }),
  total_ms: Type.Integer({ description: 'How long they took together' }),
  average_ms: Type.Integer(),
  last_at: Type.String({ format: 'date-time', description: 'When the last one ended: RFC 3339, UTC' }),
  slowest_ms: Type.Integer(),
  slowest_at: Type.String({ format: 'date-time', description: 'When the slowest one ended' }),
  slowest_status: Type.Integer({ description: 'Of the reply to the slowest one; 499 = the visitor had gone' }),
};
const Pages = {
  slow_seconds: Type.Integer({ description: 'From which on a request is a slow one' }),
  since: Type.String({ format: 'date', description: 'The first day that counts, in UTC' }),
  next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Of the next page; null after the last one' }),
};
const SlowPath = NamedObject('SlowPath', {
  ...Path,
  slowest_query: Type.String({ description: 'Of the slowest one; cut off after 500 characters' }),
});
export const SlowPaths = NamedObject('SlowPaths', {
  counted: Type.Boolean({ description: 'Whether the web server says how long requests take; if not, there are none' }),
  ...Pages,
  paths: Type.Array(SlowPath),
});
export type SlowPaths = Static<typeof SlowPaths>;
const NodeSlowPath = NamedObject('NodeSlowPath', { username: Type.String(), ...Path });
export const NodeSlowPaths = NamedObject('NodeSlowPaths', {
  ...Pages,
  paths: Type.Array(NodeSlowPath),
});
export type NodeSlowPaths = Static<typeof NodeSlowPaths>;
