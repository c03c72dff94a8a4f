import { IpRanges } from '../system/ip.ts';
import { HostGuard } from './host-guard.ts';
import type { Config } from '../config/configuration.ts';
import { Cors } from './cors.ts';
import { HttpError } from '../errors.ts';
import type { Headers } from './response-headers.ts';
import type { Address, RouteSpec } from '../plugin-api/route-spec.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { UwsRequest } from './uws-types.ts';

/** How long a table that was replaced waits for answers that are being made. */
const DRAIN_MS = 30_000;

/** What one address answers under one configuration. It is replaced as a whole, while what it accepted runs on. */
export class RoutingTable {
  readonly routes: readonly CompiledRoute[];
  readonly proxies: IpRanges;
  readonly hosts: HostGuard | undefined;
  /** Whether users have any business on the admin address. */
  readonly usersMayEnter: boolean;
  /** Whether answered reads are logged, as changes always are. */
  readonly logsReads: boolean;
  /** Refuses everything, where this is set. */
  readonly closed: HttpError | undefined;
  readonly #cors: Cors | undefined;
  readonly #hsts: Headers | undefined;
  readonly #byPattern = new Map<string, CompiledRoute[]>();
  #pending = 0;
  #onIdle: (() => void) | undefined;

  constructor(config: Config, address: Address, routes: readonly CompiledRoute[]) {
    this.routes = routes;
    this.proxies = new IpRanges(config.trusted_proxies);
    this.hosts = address === 'admin' ? new HostGuard(config.admin_hosts) : undefined;
    this.logsReads = config.log.level === 'debug' || config.log.level === 'trace';
    const origins = address === 'admin' ? config.admin_cors_origins : config.cors_origins;
    this.#cors = origins.length > 0 ? new Cors(origins) : undefined;
    const { cert, hsts_seconds: seconds } = config.tls;
    if (cert !== '' && seconds > 0) this.#hsts = [['Strict-Transport-Security', `max-age=${seconds}`]];
    this.usersMayEnter = address === 'admin' && routes.some((route) => route.info.access === 'feature');
    if (address === 'user' && config.edition === 'community')
      this.closed = new HttpError('edition_required', 'the end-user API is part of the enterprise edition');
    for (const route of routes)
      for (const path of route.info.paths)
        this.#byPattern.set(pattern(path), [...(this.#byPattern.get(pattern(path)) ?? []), route]);
  }

  /** Why a request for a pattern finds no route: 405 where other methods are answered, else 404. */
  refusal(of: string): HttpError {
    if (this.closed !== undefined) return this.closed;
    const routes = this.#byPattern.get(of);
    if (routes === undefined) return new HttpError('not_found', 'there is nothing at this path');
    const allow = methodsOf(routes.map((route) => route.info)).join(', ');
    return new HttpError('method_not_allowed', `this path answers ${allow}`, { headers: { Allow: allow } });
  }

  /** The answer to a browser that asks from an allowed origin what it may send to a pattern; `undefined` where there is a refusal instead. */
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

  /** Headers that the configuration adds to every reply to a request; `undefined` where it adds none. */
  additions(req: UwsRequest): Headers | undefined {
    if (this.#cors === undefined) return this.#hsts;
    return [...this.#cors.headers(req.getHeader('origin')), ...(this.#hsts ?? [])];
  }

  enter(): void {
    this.#pending += 1;
  }

  leave(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#onIdle?.();
  }

  /** Resolves once everything that was accepted is answered, at the latest after half a minute. */
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

/** uWebSockets.js's form of a path: parameters keep their place, a rest is `*`. */
export function pattern(path: string): string {
  return path.replace(/:\w+/g, ':p').replace(/\*\w+$/, '*');
}

/** Methods that a path answers, for `Allow`. */
function methodsOf(routes: readonly RouteSpec[]): string[] {
  const methods = new Set<string>(routes.map((route) => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}
