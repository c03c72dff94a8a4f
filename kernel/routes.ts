import type { Account } from './accounts.ts';
import { HttpError } from './errors.ts';
import { invalid, Validator } from './json.ts';
import type { RouteInfo } from './node.ts';
import type { Address, Call, RouteSpec, RouteTable } from './plugin.ts';
import { Traffic } from './traffic.ts';

export type Handler = (call: Call) => unknown;

const BODY_LIMIT_BYTES = 64 * 1024;

/** A route made ready for requests: what can be decided once is decided here. */
export class LiveRoute {
  readonly info: RouteInfo;
  readonly handle: Handler;
  readonly isGuest: boolean;
  readonly bodyLimitBytes: number;
  readonly paramNames: readonly string[];
  readonly #checks: { readonly params?: Validator; readonly query?: Validator; readonly body?: Validator };
  /** By status. */
  readonly #replies: ReadonlyMap<number, Validator>;

  constructor(info: RouteInfo, handle: Handler) {
    this.info = info;
    this.handle = handle;
    this.isGuest = info.access === 'guest';
    this.bodyLimitBytes = info.bodyLimitBytes ?? BODY_LIMIT_BYTES;
    this.paramNames = [...(info.paths[0] ?? '').matchAll(/[:*](\w+)/g)].map((match) => match[1] ?? '');
    const { params, query, body, reply, status = 200, replies = {} } = info;
    this.#checks = {
      ...(params && { params: new Validator(params, { fromText: true }) }),
      ...(query && { query: new Validator(query, { fromText: true }) }),
      ...(body && { body: new Validator(body) }),
    };
    this.#replies = new Map(
      Object.entries({ [status]: reply, ...replies }).map(([each, schema]) => [Number(each), new Validator(schema)]),
    );
  }

  get hasBody(): boolean {
    return this.info.body !== undefined;
  }

  /** Whether the account may ask this on `address`; `usersMayEnter` tells whether users have any business on the admin address. Errors: 401 for a token of the other address, 403. */
  admit(account: Account, address: Address, usersMayEnter = false): void {
    const { access = 'feature', features, also = [] } = this.info;
    if (address === 'user' && account.role === 'admin') throw unauthenticated();
    if (address === 'admin') {
      if (account.role === 'admin') return;
      if (!usersMayEnter) throw unauthenticated();
      if (access !== 'feature') throw new HttpError('admin_required', 'only administrators may ask this');
    }
    if (access === 'admin') throw new HttpError('admin_required', 'only administrators may ask this');
    if (access !== 'feature') return;
    if (!features.some((name) => account.features.has(name))) throw disabled(features);
    const lacking = also.find((name) => !account.features.has(name));
    if (lacking !== undefined) throw disabled([lacking]);
  }

  /** Path parameters from their raw texts, decoded once. */
  params(raw: readonly string[]): unknown {
    const values: Record<string, unknown> = {};
    for (const [i, name] of this.paramNames.entries()) values[name] = decode(raw[i] ?? '', 'path');
    return checked(this.#checks.params, values, 'path');
  }

  /** The members of the query that the schema names, decoded once; one given twice is refused, as it could be read in two ways. */
  query(raw: string): unknown {
    const known = this.info.query?.properties ?? {};
    const values: Record<string, unknown> = {};
    for (const pair of raw === '' ? [] : raw.split('&')) {
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals), 'query');
      if (!Object.hasOwn(known, name)) continue;
      if (Object.hasOwn(values, name)) throw invalid('query', [{ path: `/${name}`, message: 'is given twice' }]);
      values[name] = equals < 0 ? '' : decode(pair.slice(equals + 1).replaceAll('+', ' '), 'query');
    }
    return checked(this.#checks.query, values, 'query');
  }

  body(value: unknown): unknown {
    return checked(this.#checks.body, value, 'body');
  }

  /** What of a JSON reply does not fit its schema; asked in tests. */
  replyIssue(status: number, value: unknown): string | undefined {
    const validator = this.#replies.get(status);
    if (validator === undefined) return `the status ${status} is not described`;
    const [issue] = validator.issues(structuredClone(value));
    return issue === undefined ? undefined : `${issue.path} ${issue.message}`;
  }
}

/** The 401 for whatever is wrong with a token: one answer for all. */
export function unauthenticated(): HttpError {
  return new HttpError('authentication_required', 'a valid bearer token is needed', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function disabled(features: readonly string[]): HttpError {
  return new HttpError('feature_disabled', `the account lacks the feature ${features.join(' or ')}`, {
    members: { feature: features[0] },
  });
}

/** The rows of a plugin's table with all that was left out filled in. Throws on a table that contradicts itself. */
export function describe(plugin: string, features: readonly string[], table: RouteTable): RouteInfo[] {
  return Object.entries(table).map(([name, spec]) => {
    const { address = 'user', access = 'feature' } = spec;
    const gate = access === 'feature' ? [spec.feature ?? features[0] ?? []].flat() : [];
    const where = `${plugin}.${name}`;
    if (access === 'feature' && gate.length === 0)
      throw new Error(`route ${where} is opened by a feature, but names none`);
    const foreign = gate.find((feature) => !features.includes(feature));
    if (foreign !== undefined)
      throw new Error(`route ${where} is opened by ${foreign}, which plugin ${plugin} does not own`);
    if (access === 'admin' && address !== 'admin')
      throw new Error(`route ${where} is for admins and so belongs on the admin address only`);
    return {
      ...spec,
      access,
      plugin,
      name,
      features: gate,
      traffic: new Traffic(),
      paths: [spec.path].flat(),
      addresses: address === 'both' ? (['user', 'admin'] as const) : [address],
    };
  });
}

/** Throws when two routes answer the same method and pattern on one address. */
export function assertNoClash(routes: readonly RouteInfo[]): void {
  const seen = new Map<string, string>();
  for (const route of routes) {
    for (const path of route.paths) {
      for (const address of route.addresses) {
        const key = `${address} ${route.method} ${pattern(path)}`;
        const other = seen.get(key);
        const name = `${route.plugin}.${route.name}`;
        if (other !== undefined)
          throw new Error(
            `routes ${other} and ${name} both answer ${route.method} ${path} on the ${address} address; rename one or switch one plugin off`,
          );
        seen.set(key, name);
      }
    }
  }
}

/** uWebSockets.js's form of a path: parameters keep their place, a rest is `*`. */
export function pattern(path: string): string {
  return path.replace(/:\w+/g, ':p').replace(/\*\w+$/, '*');
}

/** Methods that a path answers, for `Allow`. */
export function methodsOf(routes: readonly RouteSpec[]): string[] {
  const methods = new Set<string>(routes.map((route) => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

function decode(text: string, where: 'path' | 'query'): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpError('invalid_request', `the ${where} is not valid percent-encoded UTF-8`, { cause });
  }
}

function checked(validator: Validator | undefined, value: unknown, where: string): unknown {
  if (validator === undefined) return undefined;
  const issues = validator.issues(value);
  if (issues.length > 0) throw invalid(where, issues);
  return value;
}
