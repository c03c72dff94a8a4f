import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';

/**
 * Returns the described routes of an address that the account may use, or without an account those for guests; `undefined` when
 * the account's token is not valid on that address.
 */
export function usableRoutes(
  routes: readonly RouteInfo[],
  address: Address,
  account: Account | undefined,
): RouteInfo[] | undefined {
  const here = routes.filter((route) => route.address === address && route.described !== false);
  if (account === undefined) return here.filter((route) => route.access === 'guest');
  if (account.role === 'admin') return address === 'admin' ? here : undefined;
  if (address === 'admin' && !here.some((route) => route.access === 'feature')) return undefined;
  return here.filter((route) => isOpen(route, address, account));
}

function isOpen({ access, features, requiredFeatures }: RouteInfo, address: Address, account: Account): boolean {
  if (access === 'guest') return true;
  if (access === 'user') return address === 'user';
  return (
    access === 'feature' &&
    features.some((name) => account.features.has(name)) &&
    requiredFeatures.every((name) => account.features.has(name))
  );
}
