import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import { EtagReply } from '../../kernel/areas/etag-reply.ts';
import { unauthenticated } from '../../kernel/errors.ts';
import { usableRoutes } from './usable-routes.ts';
import type { Examples } from './examples.ts';
import type { Members } from './members.ts';
import type { Scope } from './scope.ts';
import { pathItems } from './operation.ts';
import { webhookItems } from './webhooks.ts';
import { NamedSchemas } from './named-schemas.ts';

/** How many descriptions are cached; callers differ by what they may use. Each weighs half a megabyte. */
const CACHED = 16;

/** Descriptions of the addresses as ready replies; callers who may use the same routes share one. */
export class Descriptions {
  readonly #node: NodeInfo;
  readonly #gather: Host['gather'];
  readonly #examples: Examples;
  readonly #replies = new LRUCache<string, EtagReply>({ max: CACHED });

  constructor({ node, gather }: Pick<Host, 'node' | 'gather'>, examples: Examples) {
    this.#node = node;
    this.#gather = gather;
    this.#examples = examples;
  }

  /** Errors: 401 `authentication_required` when the account's token is not valid on the address. */
  of(address: Address, account: Account | undefined): EtagReply | Promise<EtagReply> {
    const all = this.#node.routes();
    const routes = usableRoutes(all, address, account);
    if (routes === undefined) throw unauthenticated();
    const chosen = new Set(routes);
    const key = `${address} ${all.map((route) => (chosen.has(route) ? '1' : '0')).join('')}`;
    return this.#replies.get(key) ?? this.#describe(key, { address, routes }, account?.role === 'admin');
  }

  async #describe(key: string, scope: Pick<Scope, 'address' | 'routes'>, isAdmin: boolean): Promise<EtagReply> {
    const gathered = isAdmin ? await this.#gather('webhooks') : [];
    const webhooks = gathered.flatMap((each) => (each.ok ? each.value : []));
    const [examples, named] = [this.#examples, new NamedSchemas()];
    const reply = EtagReply.json(describe(this.#node, { ...scope, webhooks, examples, named }));
    this.#replies.set(key, reply);
    return reply;
  }
}

/** Describes the operations before the components, which are what the operations refer to. */
function describe(node: NodeInfo, scope: Scope): Members {
  const { address, routes, webhooks } = scope;
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
    tags: tagsOf(node, routes),
    paths: pathItems(scope),
    ...(webhooks.length > 0 && { webhooks: webhookItems(webhooks, scope.named) }),
    components: {
      schemas: scope.named.all(),
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

/** Returns a tag for each plugin with operations, in the order of the routes. */
function tagsOf(node: NodeInfo, routes: Scope['routes']): Members[] {
  const descriptions = new Map(node.plugins().map(({ name, description }) => [name, description]));
  return [...new Set(routes.map(({ plugin }) => plugin))].map((name) => {
    const description = descriptions.get(name);
    return { name, ...(description !== undefined && { description }) };
  });
}
