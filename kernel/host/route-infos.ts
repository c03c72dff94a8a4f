import { IDEMPOTENCY_KEY } from '../http/idempotency.ts';
import { pattern } from '../http/routing-table.ts';
import { RouteMetrics, type RouteInfo, type RouteScopes } from '../contract/node-info.ts';
import { closed } from '../schema.ts';
import { isWebSocket, type Access, type Address, type RouteSpec, type RouteSpecs } from '../contract/route-spec.ts';

/**
 * Returns the routes of a plugin's table, one per address, with defaults filled in. Throws on a contradictory table.
 */
export function describe(plugin: string, features: readonly string[], table: RouteSpecs): RouteInfo[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const { address = 'user', access = 'feature' } = spec;
    const { any = [features[0] ?? []].flat(), all } = asked(spec.feature);
    const foreign = any.find((feature) => !features.includes(feature));
    // without a feature of the plugin, one of another's is the gate
    const [gate, requiredFeatures] =
      access !== 'feature' ? [[], all] : any.length > 0 ? [any, all] : [all.slice(0, 1), all.slice(1)];
    const where = `${plugin}.${name}`;
    if (access === 'feature' && gate.length === 0) throw new Error(`route ${where} requires a feature, but names none`);
    if (access === 'feature' && foreign !== undefined)
      throw new Error(`route ${where} requires ${foreign}, which plugin ${plugin} does not own`);
    if (access === 'admin' && address !== 'admin')
      throw new Error(`route ${where} is for administrators, so it must be on the admin address only`);
    if (spec.tokens === 'delegated' && access === 'feature')
      throw new Error(`route ${where} leaves its gate to the routes that it calls, so it has none of its own`);
    if (isWebSocket(spec) && (spec.method !== 'GET' || access === 'guest'))
      throw new Error(`route ${where} is a WebSocket, so it must be a GET, and not open to guests`);
    if (spec.idempotencyKey !== undefined && access === 'guest')
      throw new Error(`route ${where} keeps answers by account, so it must not be open to guests`);
    const body = spec.body && closed(spec.body);
    const headers = [...(spec.headers ?? []), ...(spec.idempotencyKey === undefined ? [] : [IDEMPOTENCY_KEY])];
    const shared = {
      ...spec,
      ...(body && { body }),
      ...(headers.length > 0 && { headers }),
      plugin,
      name,
      paths: [spec.path].flat(),
      requiredFeatures,
    };
    const on = (one: Address, its: Access): RouteInfo => {
      const own = its === 'feature' ? gate : [];
      const scopes = scopesOf(spec, its, gate, requiredFeatures);
      return { ...shared, address: one, access: its, features: own, scopes, traffic: new RouteMetrics() };
    };
    if (address !== 'both') return [on(address, access)];
    return [on('user', access), on('admin', access === 'guest' ? 'guest' : 'admin')];
  });
}

/** The features of which any one opens a route, if it names them, and those that it requires besides. */
function asked(feature: RouteSpec['feature'] = { all: [] }): {
  any: readonly string[] | undefined;
  all: readonly string[];
} {
  if (typeof feature === 'string') return { any: [feature], all: [] };
  return 'all' in feature ? { any: feature.any, all: feature.all } : { any: feature, all: [] };
}

/**
 * Returns what an API token needs for a route: the scope of the area that the route names, or else those of its features, or
 * else, for a route of administrators, that of the first part of its path, such as `accounts` in `/api/accounts/:username`.
 * Without any of these, the route is closed to API tokens, unless it is for guests and checks them itself.
 */
function scopesOf(
  { method, path, tokens }: RouteSpec,
  access: Access,
  gate: readonly string[],
  requiredFeatures: readonly string[],
): RouteScopes | undefined {
  const [, part] = /^\/api\/([\w-]+)/.exec([path].flat()[0] ?? '') ?? [];
  const own = typeof tokens === 'object' ? tokens.area : undefined;
  const area = own ?? (gate.length === 0 && access === 'admin' ? part : undefined);
  const areas = area === undefined ? gate : [area];
  if (tokens === 'refused' || areas.length === 0) return undefined;
  const scope = (area: string) => `${area}:${method === 'GET' ? 'read' : 'write'}`;
  return { any: areas.map(scope), all: requiredFeatures.map(scope) };
}

/** Throws if two routes answer the same method and pattern on one address. */
export function assertNoClash(routes: readonly RouteInfo[]): void {
  const seen = new Map<string, string>();
  for (const route of routes) {
    for (const path of route.paths) {
      const key = `${route.address} ${route.method} ${pattern(path)}`;
      const other = seen.get(key);
      const name = `${route.plugin}.${route.name}`;
      if (other !== undefined)
        throw new Error(
          `routes ${other} and ${name} both answer ${route.method} ${path} on the ${route.address} address; rename one or switch one plugin off`,
        );
      seen.set(key, name);
    }
  }
}
