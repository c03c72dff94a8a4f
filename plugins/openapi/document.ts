import type { Account } from '../../kernel/identity/accounts.ts';
import type { NodeInfo } from '../../kernel/plugin-api/node-info.ts';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { unauthenticated } from '../../kernel/errors.ts';
import { usableRoutes } from './usable-routes.ts';
import type { Examples } from './examples.ts';
import type { Members } from './json-schema.ts';
import { pathItems } from './operation.ts';
import { problemSchema } from './problems.ts';
import type { Scope } from './responses.ts';

/** Callers differ by what they may use; so many different descriptions are kept. */
const KEPT = 64;

/** The description of each address, as bytes, made once for all callers who may use the same. */
export class Descriptions {
  readonly #node: NodeInfo;
  readonly #examples: Examples;
  readonly #replies = new Map<string, Reply>();

  constructor(node: NodeInfo, examples: Examples) {
    this.#node = node;
    this.#examples = examples;
  }

  /** Errors: 401 for an account that has no business on the address. */
  of(address: Address, account: Account | undefined): Reply {
    const all = this.#node.routes();
    const routes = usableRoutes(all, address, account);
    if (routes === undefined) throw unauthenticated();
    const chosen = new Set(routes);
    const key = `${address} ${all.map((route) => (chosen.has(route) ? '1' : '0')).join('')}`;
    const reply = this.#replies.get(key) ?? ready(describe(this.#node, { address, routes, examples: this.#examples }));
    this.#replies.delete(key);
    this.#replies.set(key, reply);
    if (this.#replies.size > KEPT) for (const oldest of this.#replies.keys()) if (this.#replies.delete(oldest)) break;
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
        'What the caller may use: without a token, what is open to anybody. `x-hostkeep-feature` names the features of which an account needs one, `x-hostkeep-also` those that it needs besides. Every GET answers HEAD; another method is 405 with `Allow`.',
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
          description: 'The token of a login on this address',
        },
      },
    },
  };
}
