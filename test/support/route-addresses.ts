import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { TestServer } from './hostkeep.ts';

export interface RouteAddress {
  readonly route: RouteInfo;
  readonly address: Address;
  readonly path: string;
}

/** Every route on every address and path, with values in place of parameters. */
export function routeAddresses(server: TestServer): RouteAddress[] {
  return server.hostkeep.node
    .routes()
    .flatMap((route) =>
      route.paths.map((path) => ({ route, address: route.address, path: path.replace(/[:*]\w+/g, 'x') })),
    );
}

export const nameOf = ({ route, address }: RouteAddress) => `${route.plugin}.${route.name} on ${address}`;
