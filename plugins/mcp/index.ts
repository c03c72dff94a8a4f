import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { topic } from '../../kernel/contract/workers.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import { Agent } from './agent.ts';
import { CallBudget } from './call-budget.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { answer } from './exchange.ts';
import { McpAnswer, McpMessage } from './schema.ts';

/** The account of each call that counts. */
const CALL = topic<number>('mcp.called');

/** Offers the routes as tools to agents that speak the Model Context Protocol. */
export default definePlugin({
  name: 'mcp',
  description: 'The same operations as tools for agents.',
  features: [],
  errors: fail,
  events,
  config: Type.Object({
    calls_per_minute: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 120,
      description: 'Maximum number of calls that the agents of one account may make in a minute',
    }),
  }),
  routes: {
    message: {
      method: 'POST',
      path: '/mcp',
      at: 'home',
      address: 'both',
      access: 'user',
      tokens: 'delegated',
      summary: 'Send a message of the Model Context Protocol (streamable HTTP)',
      description:
        'Tools are the operations that the API token may use; with the token of a login, those that only read. The server keeps ' +
        'nothing between two requests, and answers each with JSON.',
      body: McpMessage,
      reply: McpAnswer,
      replies: {
        202: Type.Unknown({ description: 'A notification was received; no content' }),
        400: McpAnswer,
        406: McpAnswer,
      },
      headers: ['accept', 'mcp-protocol-version', 'origin'],
      errors: ['origin_not_allowed', 'feature_unavailable'],
    },
  },
  setup(given) {
    const { config, workers, onClose } = given;
    const budget = new CallBudget(config.calls_per_minute, undefined, (id) => workers.publish(CALL, id));
    onClose(workers.subscribe(CALL, (id) => budget.note(id)));
    const host = { ...given, budget };
    return {
      handlers: {
        message: (call) => {
          assertOrigin(host.node, call.address, call.header('origin'));
          const headers = {
            accept: call.header('accept'),
            'mcp-protocol-version': call.header('mcp-protocol-version'),
          };
          return answer(call.body, headers, host.node.version, new Agent(host, call));
        },
      },
    };
  },
});

/**
 * The protocol wants servers to refuse web pages of other origins, whose name may lead to this server although it is not its own
 * (DNS rebinding). Errors: 403 `origin_not_allowed`.
 */
function assertOrigin({ config, url }: NodeInfo, address: Address, origin: string): void {
  const allowed = address === 'admin' ? config.admin_cors_origins : config.cors_origins;
  if (origin !== '' && origin !== url(address) && !allowed.includes(origin))
    throw fail.origin_not_allowed('web pages of this origin may not use this server; see cors_origins');
}
