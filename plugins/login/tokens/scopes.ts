import { invalid } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { NodeInfo } from '../../../kernel/contract/node-info.ts';
import type { TokenScope } from './schema.ts';

/** Returns the scopes that the account may give to a token, by name: what the routes need that it may use. */
export function grantableScopes(node: NodeInfo, account: Account): TokenScope[] {
  const usable = new Set(node.providedFeatures(account));
  const titles = new Map(node.locales.features(account.locale).map(({ name, title }) => [name, title]));
  const routesOf = new Map<string, string[]>();
  for (const { access, address, method, paths, scopes } of node.routes()) {
    const isForRole = account.role === 'admin' ? address === 'admin' : address === 'user' || access === 'feature';
    for (const scope of isForRole && scopes !== undefined ? [...scopes.any, ...scopes.all] : [])
      if (account.role === 'admin' || usable.has(areaOf(scope)))
        routesOf.set(scope, [...(routesOf.get(scope) ?? []), `${method} ${paths[0] ?? ''}`]);
  }
  return [...routesOf.keys()].toSorted().map((scope) => ({
    scope,
    title: titles.get(areaOf(scope)) ?? areaOf(scope),
    routes: routesOf.get(scope) ?? [],
  }));
}

/** Errors: 400 `invalid_request` for a scope that the account may not give. */
export function assertGrantable(node: NodeInfo, account: Account, scopes: readonly string[]): void {
  const names = new Set(grantableScopes(node, account).map(({ scope }) => scope));
  const issues = scopes
    .map((scope, i) => ({
      path: `/scopes/${i}`,
      message: `is ${scope}, which is no scope that this account may give`,
      scope,
    }))
    .filter(({ scope }) => !names.has(scope))
    .map(({ path, message }) => ({ path, message }));
  if (issues.length > 0) throw invalid('body', issues);
}

function areaOf(scope: string): string {
  return scope.slice(0, scope.lastIndexOf(':'));
}
