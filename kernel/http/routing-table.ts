import { HostGuard } from './origin/host-guard.ts';
import type { Config } from '../config/configuration.ts';
import { Cors } from './origin/cors.ts';
import { fail, HttpError } from '../errors.ts';
import type { Headers } from './response/response-writer.ts';
import type { Address, RouteSpec } from '../contract/route-spec.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { FORWARDED, TrustedProxies, type ClientAddresses } from './origin/trusted-proxies.ts';
import type { Dispatch } from './dispatch.ts';
import { isObject } from '../schema.ts';
import type { UwsRequest } from './uws.ts';

/** How long a replaced table waits for requests in progress. */
const DRAIN_MS = 30_000;

/** The routes of one address under one configuration. Replaced as a whole; the old table finishes what it accepted. */
export class RoutingTable {
  readonly routes: readonly CompiledRoute[];
  readonly dispatch: Dispatch;
  readonly proxies: ClientAddresses;
  readonly hosts: HostGuard | undefined;
  /** Whether this address itself speaks TLS. */
  readonly isTls: boolean;
  /** Whether this is the admin address and has routes for users. */
  readonly usersMayEnter: boolean;
  /** Whether reads are logged; changes always are. */
  readonly logsReads: boolean;
  /** The error that answers every request; `undefined` if the address is open. */
  readonly closed: HttpError | undefined;
  readonly #cors: Cors | undefined = undefined;
  readonly #hsts: Headers | undefined;
  readonly #byPattern = new Map<string, CompiledRoute[]>();
  #pending = 0;
  #onIdle: (() => void) | undefined;

  /** `isInner`: for requests that another node of the fleet admitted, after it had checked their hosts and origins. */
  constructor(config: Config, address: Address, routes: readonly CompiledRoute[], dispatch: Dispatch, isInner = false) {
    this.routes = routes;
    this.dispatch = dispatch;
    this.proxies = isInner ? FORWARDED : new TrustedProxies(config.trusted_proxies, config.proxy_secret);
    this.hosts =
      address === 'admin' && !isInner
        ? new HostGuard([...config.admin_hosts, config.tls.host_name].filter(Boolean))
        : undefined;
    this.logsReads = config.log.level === 'debug' || config.log.level === 'trace';
    const { cert, hsts_seconds: seconds } = config.tls;
    this.isTls = cert !== '' && !isInner;
    const origins = address === 'admin' ? config.admin_cors_origins : config.cors_origins;
    if (origins.length > 0 && !isInner) this.#cors = new Cors(origins);
    if (this.isTls && seconds > 0) this.#hsts = [['Strict-Transport-Security', `max-age=${seconds}`]];
    this.usersMayEnter = address === 'admin' && routes.some((route) => route.info.access === 'feature');
    if (address === 'user' && config.edition === 'community')
      this.closed = fail.edition_required('the end-user API is part of the enterprise edition');
    for (const route of routes)
      for (const path of route.info.paths)
        this.#byPattern.set(pattern(path), [...(this.#byPattern.get(pattern(path)) ?? []), route]);
  }

  /** Returns the path of what a route has made, if another route shows it: `/api/plans/small` of `POST /api/plans`. */
  placeOf({ info }: CompiledRoute, made: unknown): string | undefined {
    const start = `${info.paths[0]}/`;
    for (const { info: other, paramNames } of this.routes) {
      const [path = ''] = other.paths;
      const [name = ''] = paramNames;
      if (other.method !== 'GET' || path !== `${start}:${name}` || !isObject(made)) continue;
      const key = made[name];
      if (typeof key === 'string' || typeof key === 'number') return start + encodeURIComponent(key);
    }
    return undefined;
  }

  /** Returns why a request for a pattern has no route: 405 if the path supports other methods, else 404. */
  refusal(of: string): HttpError {
    if (this.closed !== undefined) return this.closed;
    const routes = this.#byPattern.get(of);
    if (routes === undefined) return fail.not_found('no route has this path');
    const allow = methodsOf(routes.map((route) => route.info)).join(', ');
    return fail.method_not_allowed(`this path supports ${allow}`, { headers: { Allow: allow } });
  }

  /** Returns the headers of a CORS preflight reply, or `undefined` if the origin or the pattern is refused. */
  preflight(of: string, origin: string): Headers | undefined {
    const routes = this.closed === undefined ? this.#byPattern.get(of)?.map((route) => route.info) : undefined;
    return (
      routes &&
      this.#cors?.preflight(
        origin,
        methodsOf(routes),
        routes.flatMap(({ headers = [] }) => headers),
      )
    );
  }

  /** Returns the headers that the configuration adds to the reply to a request; `undefined` if it adds none. */
  additions(req: UwsRequest): Headers | undefined {
    if (this.#cors === undefined) return this.#hsts;
    return [...this.#cors.headers(req.getHeader('origin')), ...(this.#hsts ?? [])];
  }

  /** Counts a request whose answer takes more than a turn of the event loop; `leave` follows. */
  enter(): void {
    this.#pending += 1;
  }

  leave(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#onIdle?.();
  }

  /** Resolves once every accepted request is answered, after 30 seconds at the latest. */
  async idle(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, DRAIN_MS);
      this.#onIdle = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }
}

/** Returns a path as a uWebSockets.js pattern: parameters by position only, the rest as `*`. */
export function pattern(path: string): string {
  return path.replace(/:\w+/g, ':p').replace(/\*\w+$/, '*');
}

/** Returns the methods that a path supports, for `Allow`. */
function methodsOf(routes: readonly RouteSpec[]): string[] {
  const methods = new Set<string>(routes.map((route) => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}
