import { definePlugin } from '../../kernel/contract/plugin.ts';
import { forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import type { SlowRequests } from '../../kernel/areas/sites/slow-requests.ts';
import { startReconciling } from '../../kernel/kit/waiting/reconciling.ts';
import { fail } from './errors.ts';
import { mover } from './mover.ts';
import * as schema from './schema.ts';
import { SlowPathLists } from './slow-paths.ts';
import { addRequests, dayBefore, expire, forgetAccount, forgetDomain } from './store.ts';

const HOUR_MS = 3_600_000;

export default definePlugin({
  name: 'slow-requests',
  description: 'Paths of sites at which requests took long, from the logs of the web server.',
  features: [],
  uses: ['domains', 'webserver'],
  errors: fail,
  config: schema.SlowRequestsConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/slow-requests',
      at: 'home',
      feature: { any: [], all: ['errors'] },
      summary: 'List where sites of the account answered slowly',
      description:
        'Slow requests are summed up by path. Of the slowest one there is the query, too, which may hold secrets of a visitor, as the ' +
        'log of the site may. Of a day, the 150 paths are kept that took the most time, and the 50 newest.',
      query: schema.SlowPathsQuery,
      reply: schema.SlowPaths,
      errors: ['domain_not_found'],
    },
    all: {
      method: 'GET',
      address: 'admin',
      access: 'admin',
      path: '/api/slow-requests',
      at: 'node',
      summary: 'List where sites of a node answered slowly',
      description: 'Of all accounts of the node, without queries.',
      query: schema.NodeSlowPathsQuery,
      reply: schema.NodeSlowPaths,
    },
  },
  async setup(host) {
    const { config, local, node } = host;
    const lists = new SlowPathLists(host);
    const service: SlowRequests = { fromMs: config.slow_seconds * 1000, keep: addRequests };
    const forget = () => local.write((tx) => expire(tx, dayBefore(config.kept_days)));
    if (node.isServing)
      await node.onLeader(() => {
        startReconciling({ ...host, wakers: [], everyMs: HOUR_MS, subject: 'old slow requests' }, forget);
      });
    forgetRemoved(host, (domainId) => forgetDomain(local, domainId));
    return {
      service,
      handlers: {
        list: ({ account, query }) => lists.ofAccount(account, query),
        all: ({ query }) => lists.ofNode(query),
      },
      provides: {
        demo: async (context) => (await import('./demo.ts')).fillDemo(host, context),
        purge: async ({ id }) => {
          const removed = await local.write((tx) => forgetAccount(tx, id));
          return [{ what: 'slow requests', removed }];
        },
        move: () => ({ obstacles: () => [], mover: mover(host) }),
      },
    };
  },
});
