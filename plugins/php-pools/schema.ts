import { ofNode } from '../../kernel/contract/forwarding.ts';
import type { PhpPoolState } from '../../kernel/areas/php-pools.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const ORDERS = ['memory', 'requests', 'name'] as const;
export const STATES: readonly PhpPoolState[] = ['failed', 'busy', 'running', 'asleep', 'ending', 'missing'];

export const PoolsQuery = Type.Object({
  ...ofNode,
  q: Type.String({ maxLength: 64, default: '', description: 'Part of a user name' }),
  sort: Type.String({
    enum: [...ORDERS],
    default: 'memory',
    description: 'Those with the most memory, or the most requests in a minute, first; or by user name',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.String({ pattern: '^\\d{0,8}$', default: '', description: 'next_cursor of the page before' }),
});
export type PoolsQuery = Static<typeof PoolsQuery>;

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });

const NodePool = NamedObject('NodePhpPool', {
  username: Type.String(),
  pool: Type.String({
    description: 'Its name among those of the account; another one once its version or options change',
  }),
  version: Type.String(),
  domains: Type.Array(Type.String(), {
    description: 'Names of domains that it serves, ten at most; none where it ends',
  }),
  domain_count: Type.Integer(),
  state: Type.String({
    enum: [...STATES],
    description:
      'busy: all its processes have a request. asleep: the next request starts it. ending: no domain needs it any more. failed: it does not start. missing: ' +
      'it is not there, and is tried every few seconds; the log of the server says why if that lasts',
  }),
  problem: orNull(Type.String(), 'Why it does not start'),
  processes: Type.Integer({ description: 'Those for requests' }),
  active: orNull(Type.Integer(), 'Of the processes, those with a request; null while it does not answer'),
  idle: orNull(Type.Integer(), 'Of the processes, the others'),
  most_processes: Type.Integer({ description: 'The most that it may have, by the plan; 0 where it ends' }),
  memory_bytes: Type.Integer({ description: 'Of its master and its processes; what they share counts once' }),
  running_seconds: Type.Integer({ description: 'Since it started; 0 while it is asleep' }),
  requests: orNull(Type.Integer(), 'Since it started; null while it has not been asked'),
  requests_per_minute: orNull(Type.Number(), 'The same, on average'),
  limit_reached: orNull(Type.Integer(), 'How often a request found the most processes at work, since it started'),
});
export type NodePool = Static<typeof NodePool>;

export const NodePools = NamedObject('NodePhpPools', {
  pools: Type.Array(NodePool, { description: 'Those that do not run or sleep as they should come first' }),
  total: Type.Integer({ description: 'Those that were searched for' }),
  next_cursor: orNull(Type.String(), 'Of the next page; null after the last one'),
  sums: NamedObject(
    'NodePhpSums',
    {
      pools: Type.Integer(),
      running: Type.Integer(),
      asleep: Type.Integer(),
      failed: Type.Integer(),
      missing: Type.Integer(),
      processes: Type.Integer(),
      active: Type.Integer(),
      memory_bytes: Type.Integer(),
    },
    { description: 'Of all pools of the node' },
  ),
});
export type NodePools = Static<typeof NodePools>;

export const PoolParams = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['jane'] }),
  pool: Type.String({ minLength: 1, maxLength: 64, examples: ['8.4-0f1e2d3c4b5a'] }),
});
export const Restarted = NamedObject('RestartedPhpPool', {
  username: Type.String(),
  pool: Type.String(),
  restarted: Type.Boolean(),
});
