import { fail } from './errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { Containers } from '../../kernel/areas/containers.ts';
import type { Machine } from '../../kernel/areas/machine.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { DEMO_NAME_SERVERS } from './demo.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { publishedPorts } from './published-ports.ts';
import { planReply } from './plan.ts';
import { HostingConfig, HostingPlan, Ports, ServerInfo } from './schema.ts';
import { ownAddress, serverInfo } from './server-info.ts';

/** How long a request waits for the engine. */
const WAIT_MS = 2000;
const late = () => fail.containers_unavailable('the ports are unknown at the moment', { retryAfterSeconds: 2 });

export default definePlugin({
  name: 'hosting',
  description: 'The node, the plan of the account, and its published ports.',
  errors: fail,
  features: ['info'],
  uses: ['system', 'containers'],
  config: HostingConfig,
  routes: {
    info: {
      method: 'GET',
      path: '/api/system/hosting/info',
      at: 'home',
      summary: 'Get information about the server',
      description: 'Operating system, processor, load and public address of the node that hosts the account.',
      reply: ServerInfo,
    },
    plan: {
      method: 'GET',
      path: ['/system/hosting/plan', '/api/system/hosting/plan'],
      summary: 'Get the plan of the account and its limits',
      description: 'Limits that are counted are integers; those with a unit are text.',
      reply: HostingPlan,
    },
    ports: {
      method: 'GET',
      path: ['/system/hosting/ports', '/api/system/hosting/ports'],
      at: 'home',
      summary: "List the published ports of the account's services",
      description:
        'A port that is not allocated is null, and so are all ports where the node has no container engine: the plugin ' +
        'containers is off, or its settings name none. While an engine that they name does not answer, the ' +
        'response is 503.',
      reply: Ports,
      errors: ['containers_unavailable'],
    },
  },
  setup({ config, gather, node, peer }) {
    const system = peer<Machine>('system');
    const containers = peer<Containers>('containers');
    const planReplies = new WeakMap<Account, Reply>();
    const nameServers = node.isDemo && config.name_servers.length === 0 ? DEMO_NAME_SERVERS : config.name_servers;
    const ipAddress = () => (config.ip_address === '' ? ownAddress() : config.ip_address);
    const makePlanReply = async (account: Account) => {
      const software = (await gather('software', account)).flatMap((part) => (part.ok ? [part.value] : []));
      const reply = ready(planReply(account, nameServers, Object.assign({}, ...software)));
      planReplies.set(account, reply);
      return reply;
    };
    return {
      handlers: {
        info: () => serverInfo(ipAddress(), system?.names()),
        /** Built once for each account object, which is an immutable snapshot. */
        plan: ({ account }) => planReplies.get(account) ?? makePlanReply(account),
        ports: async ({ account }) =>
          publishedPorts(
            containers === undefined ? [] : await withDeadline(containers.running(account), WAIT_MS, late),
          ),
      },
      provides: { dashboard: () => ({ ip_address: ipAddress(), name_servers: nameServers }) },
    };
  },
});
