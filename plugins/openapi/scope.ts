import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { Webhook } from '../../kernel/contract/points/webhook.ts';
import type { Examples } from './examples.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** The scope of one description. */
export interface Scope {
  readonly address: Address;
  /** The routes described, and hence the possible targets of links. */
  readonly routes: readonly RouteInfo[];
  readonly examples: Examples;
  readonly named: NamedSchemas;
  /** Requests that the server sends, for those who configure where they go. */
  readonly webhooks: readonly Webhook[];
}
