import type { Account } from '../../kernel/identity/accounts.ts';
import type { NodeInfo } from '../../kernel/plugin-api/node-info.ts';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { LRUCache } from '../../kernel/concurrency/bounded-cache.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { unauthenticated } from '../../kernel/errors.ts';
import { usableRoutes } from './usable-routes.ts';
import type { Examples } from './examples.ts';
import type { Members } from './json-schema.ts';
import { pathItems } from './operation.ts';
import { problemSchema } from './problems.ts';
import type { Scope } from './responses.ts';

/** How many descriptions are cached; callers differ by what they may use. */
const CACHED = 64;

/** Descriptions of the addresses as ready replies; callers who may use the same routes share one. */
export class Descriptions {
  readonly #node: NodeInfo;
  readonly #examples: Examples;
  readonly #replies = new LRUCache<string, Reply>({ max: CACHED });

  constructor(node: NodeInfo, examples: Examples) {
    this.#node = node;
    this.#examples = examples;
  }

  /** Errors: 401 `authentication_required` when the account's token is not valid on the address. */
  of(address: Address, account: Account | undefined): Reply {
    const all = this.#node.routes();
    const routes = usableRoutes(all, address, account);
    if (routes === undefined) throw unauthenticated();
    const chosen = new Set(routes);
    const key = `${address} ${all.map((route) => (chosen.has(route) ? '1' : '0')).join('')}`;
    let reply = this.#replies.get(key);
    if (reply === undefined) {
      reply = ready(describe(this.#node, { address, routes, examples: this.#examples }));
      this.#replies.set(key, reply);
    }
    return reply;
  }
}

function describe(node: NodeInfo, scope: Scope): Members {
  const { address, routes } = scope;
  return {
    openapi: '3.1.1',
    info: {
      title: address === 'user' ? 'Hostkeep, end-user API' : 'Hostkeep, usage and administration API',
      version: node.version,
      description:
        'Describes what the caller may use; without a token, what needs no token. `x-hostkeep-feature` lists ' +
        'features of which the account needs at least one, `x-hostkeep-also` those that it needs in addition. Every GET ' +
        'also answers HEAD; other methods return 405 with `Allow`.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: node.url(address) }],
    tags: [...new Set(routes.map(({ plugin }) => plugin))].map((name) => ({ name })),
    paths: pathItems(scope),
    components: {
      schemas: { Problem: problemSchema() },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Token of a login on this address',
        },
      },
    },
  };
}
