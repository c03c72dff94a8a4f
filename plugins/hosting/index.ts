import { fail } from './errors.ts';
import { HttpError } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { DEMO_NAME_SERVERS } from './demo.ts';
import { planReply } from './plan.ts';
import { HostingConfig, HostingPlan, Ports, ServerInfo } from './schema.ts';
import { ownAddress, serverInfo } from './server-info.ts';

/** `Retry-After` while the ports are unknown. */
const RETRY_SECONDS = 2;

export default definePlugin({
  name: 'hosting',
  description: 'The node, the plan of the account, and its published ports.',
  errors: fail,
  features: ['info'],
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
  setup({ config, gather, node }) {
    const planReplies = new WeakMap<Account, Reply>();
    const nameServers = node.isDemo && config.name_servers.length === 0 ? DEMO_NAME_SERVERS : config.name_servers;
    const ipAddress = () => (config.ip_address === '' ? ownAddress() : config.ip_address);
    return {
      handlers: {
        info: async () => {
          const names = (await gather('systemNames')).find((part) => part.ok)?.value;
          return serverInfo(ipAddress(), names);
        },
        /** Built once for each account object, which is an immutable snapshot. */
        plan: ({ account }) => {
          let cached = planReplies.get(account);
          if (cached === undefined) planReplies.set(account, (cached = ready(planReply(account, nameServers))));
          return cached;
        },
        ports: async ({ account }) => {
          const parts = (await gather('ports', account)).map((part) => {
            if (part.ok) return part.value;
            throw part.error instanceof HttpError
              ? part.error
              : fail.containers_unavailable('the ports are unknown at the moment', {
                  retryAfterSeconds: RETRY_SECONDS,
                  cause: part.error,
                });
          });
          return Object.assign(
            { phpmyadmin_port: null, remote_mysql_port: null, remote_ssh_port: null, webterminal_port: null },
            ...parts,
          );
        },
      },
      provides: { dashboard: () => ({ ip_address: ipAddress(), name_servers: nameServers }) },
    };
  },
});
