import { HttpError, retryLater } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import { planReply } from './plan.ts';
import { HostingConfig, HostingPlan, Ports, ServerInfo } from './schema.ts';
import { ownAddress, serverInfo } from './server-info.ts';
import type { HostingService } from './service.ts';

/** After which ports that could not be told may be asked for again. */
const RETRY_SECONDS = 2;
const planReplies = new WeakMap<Account, Reply>();

export default definePlugin({
  name: 'hosting',
  features: ['info'],
  config: HostingConfig,
  routes: {
    info: {
      method: 'GET',
      path: '/api/system/hosting/info',
      summary: 'The server that the account lives on',
      reply: ServerInfo,
    },
    plan: {
      method: 'GET',
      path: ['/system/hosting/plan', '/api/system/hosting/plan'],
      summary: 'The plan of the account and its limits',
      reply: HostingPlan,
    },
    ports: {
      method: 'GET',
      path: ['/system/hosting/ports', '/api/system/hosting/ports'],
      summary: 'Published ports of the services of the account',
      description: 'While what publishes them does not answer it is 503: a port that is null is not allocated.',
      reply: Ports,
      errors: ['containers_unavailable'],
    },
  },
  setup({ config, gather }) {
    const ipAddress = () => (config.ip_address === '' ? ownAddress() : config.ip_address);
    const service: HostingService = { nameServers: config.name_servers, ipAddress };
    return {
      service,
      handlers: {
        info: () => serverInfo(ipAddress()),
        /** An account is a snapshot, so what follows from it alone is made once for each. */
        plan: ({ account }) => {
          let kept = planReplies.get(account);
          if (kept === undefined) planReplies.set(account, (kept = ready(planReply(account, config.name_servers))));
          return kept;
        },
        ports: async ({ account }) => {
          const parts = (await gather('ports', account)).map((part) => {
            if (part.ok) return part.value;
            throw part.error instanceof HttpError
              ? part.error
              : retryLater(
                  'containers_unavailable',
                  'the ports are not known at the moment',
                  RETRY_SECONDS,
                  part.error,
                );
          });
          return Object.assign(
            { phpmyadmin_port: null, remote_mysql_port: null, remote_ssh_port: null, webterminal_port: null },
            ...parts,
          );
        },
      },
    };
  },
});
