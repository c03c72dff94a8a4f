import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { PhpPoolDirectory } from '../../kernel/areas/php-pools.ts';
import { fail as refuse } from '../../kernel/errors.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { poolMetrics } from './metrics.ts';
import { poolsPage } from './pool-rows.ts';
import { NodePools, PoolParams, PoolsQuery, Restarted } from './schema.ts';

const admin = { address: 'admin', access: 'admin' } as const;

export default definePlugin({
  name: 'php-pools',
  description: 'Shows operators what PHP of the accounts of a node takes, and restarts it.',
  features: [],
  uses: ['php'],
  errors: fail,
  events,
  routes: {
    list: {
      ...admin,
      method: 'GET',
      path: '/api/php-pools',
      at: 'node',
      summary: 'List the processes of PHP of the accounts of a node',
      description:
        'A pool has the processes for the domains of an account that have the same version and options of PHP. The figures are up to two ' +
        'seconds old. To ask wakes none, and keeps none awake.',
      query: PoolsQuery,
      reply: NodePools,
      errors: ['feature_unavailable'],
    },
    restart: {
      ...admin,
      method: 'POST',
      path: '/api/php-pools/:username/:pool/restart',
      at: 'named',
      summary: 'Restart PHP of an account',
      description:
        'The next request is answered by new processes, with an empty cache of compiled scripts. Those that have requests finish them, within ' +
        'the time that scripts may take. No request is lost.',
      params: PoolParams,
      reply: Restarted,
      errors: ['account_not_found', 'php_pool_not_found', 'php_pool_not_running', 'feature_unavailable'],
    },
  },
  async setup(host) {
    const { identity, store, peer, node } = host;
    const php = (): PhpPoolDirectory => {
      const directory = peer<PhpPoolDirectory>('php');
      if (directory === undefined) throw refuse.feature_unavailable('the plugin php is off or unavailable');
      return directory;
    };
    let isLeader = false;
    if (node.isServing) await node.onLeader(() => void (isLeader = true));
    return {
      handlers: {
        list: async ({ query }) => poolsPage((await php().read()).pools, query),
        restart: async ({ account: { username: by }, params: { username, pool }, ip }) => {
          const [account, directory] = [await identity.accounts.get(username), php()];
          const { pools } = await directory.read();
          const found = pools.find((each) => each.username === username && each.name === pool);
          if (found === undefined) throw fail.php_pool_not_found(`${username} has no pool ${pool}`);
          if (!(await directory.restart(account, pool)))
            throw fail.php_pool_not_running('it is asleep, or requests of before its last restart have not ended');
          const { version } = found;
          await store.write((tx) =>
            host.events.record(tx, {
              ...{ type: 'php.restarted', account, ip, data: { version, pool, by } },
              text: `had PHP ${version} restarted by the administrator '${by}'`,
            }),
          );
          return { username, pool, restarted: true };
        },
      },
      provides: {
        metrics: async () => {
          const directory = peer<PhpPoolDirectory>('php');
          return directory === undefined ? [] : poolMetrics(await directory.read(), isLeader);
        },
      },
    };
  },
});
