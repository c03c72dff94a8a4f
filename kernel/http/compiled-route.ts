import type { Account } from '../identity/accounts/account.ts';
import { moving } from '../identity/accounts/account-home.ts';
import type { TokenGrant } from '../identity/gate/api-tokens/api-tokens.ts';
import { fail, HttpError, invalid, scopeRequired, sessionRequired, unauthenticated, type Issue } from '../errors.ts';
import { Validator } from '../config/validator.ts';
import { isBytes } from '../contract/incoming-body.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import { changesHome, type Call } from '../contract/route-spec.ts';

/** Words for true and false in a query: generated clients write them in the ways of their languages. */
const BOOLEANS: Readonly<Record<string, string>> = { True: 'true', '1': 'true', False: 'false', '0': 'false' };

/** Methods for what exists already, or is to exist, at the path itself. */
const CHANGED_AS_A_WHOLE: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** The handler of a route, without the types of its schemas. */
export type Handler = (call: Call) => unknown;

/** A route prepared for requests: its validators, parameter names and limits are computed once, not per request. */
export class CompiledRoute {
  readonly info: RouteInfo;
  readonly handle: Handler;
  readonly isGuest: boolean;
  /** Whether the handler reads the body as it comes. */
  readonly takesBytes: boolean;
  readonly paramNames: readonly string[];
  /** Whether it changes something that has no ETag, so that no condition on one can hold (RFC 9110, section 13.1.1). */
  readonly hasNoTag: boolean;
  readonly #checks: { readonly params?: Validator; readonly query?: Validator; readonly body?: Validator };
  /** Validators of JSON replies, by status. */
  readonly #replies: ReadonlyMap<number, Validator>;
  /** The scopes of which an API token needs any one, each with its feature. */
  readonly #scopes: readonly { readonly scope: string; readonly feature: string }[];

  constructor(info: RouteInfo, handle: Handler) {
    this.info = info;
    this.handle = handle;
    this.isGuest = info.access === 'guest';
    this.takesBytes = isBytes(info.body);
    this.paramNames = [...(info.paths[0] ?? '').matchAll(/[:*](\w+)/g)].map((match) => match[1] ?? '');
    this.hasNoTag = CHANGED_AS_A_WHOLE.has(info.method) && info.headers?.includes('if-match') !== true;
    this.#scopes = (info.scopes?.any ?? []).map((scope) => ({ scope, feature: scope.replace(/:\w+$/, '') }));
    const { params, query, body, reply, status = 200, replies = {} } = info;
    this.#checks = {
      ...(params && { params: new Validator(params, { fromText: true }) }),
      ...(query && { query: new Validator(query, { fromText: true }) }),
      ...(body && !this.takesBytes && { body: new Validator(body) }),
    };
    this.#replies = new Map(
      Object.entries({ [status]: reply, ...replies }).map(([each, schema]) => [Number(each), new Validator(schema)]),
    );
  }

  get hasBody(): boolean {
    return this.info.body !== undefined;
  }

  /**
   * Throws unless the account may use this route; `grant` is what an API token may do. Errors: 401 for a token of the other
   * address, 403 `admin_required`, `feature_disabled`, `session_required` or `scope_required`, 503 `account_moving`.
   */
  authorize(account: Account, usersMayEnter = false, grant?: TokenGrant): void {
    this.#assertOpenTo(account, usersMayEnter);
    if (account.isReadOnly && changesHome(this.info)) throw moving(account.username);
    if (grant === undefined || grant.opened === this) return;
    this.#assertGranted(account, grant.scopes);
    grant.opened = this;
  }

  /** A scope opens a route only together with its own feature, which the account may have lost. */
  #assertGranted({ role, features }: Account, granted: ReadonlySet<string>): void {
    const { scopes, tokens } = this.info;
    if (tokens === 'delegated') return;
    if (scopes === undefined) throw sessionRequired();
    const isOpen = this.#scopes.some(
      ({ scope, feature }) => granted.has(scope) && (role === 'admin' || features.has(feature)),
    );
    if (!isOpen) throw scopeRequired(scopes.any);
    const lacking = scopes.all.find((scope) => !granted.has(scope));
    if (lacking !== undefined) throw scopeRequired([lacking]);
  }

  #assertOpenTo(account: Account, usersMayEnter: boolean): void {
    const { address, access, features, requiredFeatures } = this.info;
    if (address === 'user' && account.role === 'admin') throw unauthenticated();
    if (address === 'admin') {
      if (account.role === 'admin') return;
      if (!usersMayEnter) throw unauthenticated();
      if (access !== 'feature') throw fail.admin_required('only administrators may use this route');
    }
    if (access !== 'feature') return;
    if (!features.some((name) => account.features.has(name))) throw disabled(features);
    const lacking = requiredFeatures.find((name) => !account.features.has(name));
    if (lacking !== undefined) throw disabled([lacking]);
  }

  /** Decodes the raw path parameters, exactly once, and validates them. */
  params(raw: readonly string[]): unknown {
    const values: Record<string, unknown> = {};
    for (const [i, name] of this.paramNames.entries()) values[name] = decode(raw[i] ?? '', 'path');
    return checked(this.#checks.params, values, 'path');
  }

  /**
   * Decodes, exactly once, and validates the query. Errors: 400, also for names that the schema does not have, and for
   * duplicates, because two readers could disagree on which one counts.
   */
  query(raw: string): unknown {
    const known = this.info.query?.properties ?? {};
    const values: Record<string, unknown> = {};
    const issues: Issue[] = [];
    for (const pair of raw === '' ? [] : raw.split('&')) {
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals), 'query');
      if (pair === '') continue;
      const schema = Object.hasOwn(known, name) ? known[name] : undefined;
      if (schema === undefined) issues.push({ path: `/${name}`, message: 'is not known here' });
      else if (Object.hasOwn(values, name)) issues.push({ path: `/${name}`, message: 'is given twice' });
      else {
        const text = equals < 0 ? '' : decode(pair.slice(equals + 1).replaceAll('+', ' '), 'query');
        values[name] = schema['type'] === 'boolean' ? (BOOLEANS[text] ?? text) : text;
      }
    }
    return checked(this.#checks.query, values, 'query', issues);
  }

  body(value: unknown): unknown {
    return checked(this.#checks.body, value, 'body');
  }

  /** Returns how a JSON reply violates its schema, or `undefined`. Tests check every reply with it. */
  replyIssue(status: number, value: unknown): string | undefined {
    const validator = this.#replies.get(status);
    if (validator === undefined) return `the status ${status} is not described`;
    const [issue] = validator.issues(structuredClone(value));
    return issue === undefined ? undefined : `${issue.path} ${issue.message}`;
  }
}

function disabled(features: readonly string[]): HttpError {
  return fail.feature_disabled(`the account lacks the feature ${features.join(' or ')}`, {
    members: { feature: features[0] },
  });
}

function decode(text: string, where: 'path' | 'query'): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw fail.invalid_request(`the ${where} is not valid percent-encoded UTF-8`, { path: '', cause });
  }
}

function checked(
  validator: Validator | undefined,
  value: unknown,
  where: string,
  others: readonly Issue[] = [],
): unknown {
  if (validator === undefined && others.length === 0) return undefined;
  const issues = validator?.issues(value) ?? [];
  if (issues.length === 0 && others.length === 0) return value;
  const faults = issues.length > 0 ? (validator?.faults(value) ?? []) : [];
  throw invalid(where, [...others, ...(faults.length > 0 ? faults : issues)]);
}
