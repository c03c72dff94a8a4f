import { fail, HttpError } from '../errors.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Accounts } from '../identity/accounts/accounts.ts';
import type { Forward } from '../contract/forwarding.ts';
import type { Address } from '../contract/route-spec.ts';
import type { TObject } from '../schema.ts';
import type { CompiledRoute } from './compiled-route.ts';

/** A request that was admitted and checked, as forwarding needs it. */
interface AdmittedCall {
  readonly account: Account | undefined;
  readonly address: Address;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ip: string;
  readonly signal: AbortSignal;
  header(name: string): string;
}

type Values = Readonly<Record<string, unknown>>;

/** Control characters, and what is not ASCII: clients of HTTP refuse to send some of it. */
const NOT_PRINTABLE = /[^\t -~]/;
/** When to ask for what was at a node that has left the fleet, until a node of that name joins. */
const LEFT_SECONDS = 60;

/** Which node of the fleet answers a request: this one, or another, to which it goes on; see `RouteSpec.at`. */
export class FleetRoutes {
  /** The name of this node; empty if it is in no fleet, and then it answers everything. */
  readonly #here: string;
  readonly #accounts: Pick<Accounts, 'cells' | 'homeOf' | 'isHere'>;
  readonly #forward: Forward;

  /** Without `forward`, what is for another node is refused. */
  constructor(here: string, accounts: Pick<Accounts, 'cells' | 'homeOf' | 'isHere'>, forward: Forward = unreachable) {
    this.#here = here;
    this.#accounts = accounts;
    this.#forward = forward;
  }

  /** Returns the result of `handle`, or the answer of the other node. `authorization` is what admitted the call. */
  answer(route: CompiledRoute, call: AdmittedCall, authorization: string, handle: () => unknown): unknown {
    const at = (node: string) =>
      this.#accounts.isHere({ home: node }) ? handle() : this.#forward(node, requestOf(route, call, authorization));
    const { username, node } = { ...(call.params as Values), ...(call.query as Values) };
    switch (route.info.at) {
      case 'home':
        return this.#atHome(route, call, at);
      case 'named':
        return this.#here === '' ? handle() : this.#accounts.homeOf(String(username)).then(at);
      case 'node':
        if (this.#here === '' && node !== undefined)
          throw fail.node_not_found('this node is in no fleet: leave out the parameter node');
        return at(typeof node === 'string' ? node : '');
      default:
        return handle();
    }
  }

  /** After a change at another node, drops what is cached here of the account, so that its client sees the change. */
  #atHome({ info }: CompiledRoute, { account }: AdmittedCall, at: (node: string) => unknown): unknown {
    const answer = at(account?.home ?? '');
    if (account === undefined || this.#accounts.isHere(account)) return answer;
    const elsewhere = Promise.resolve(answer).catch((error: unknown) => {
      throw error instanceof HttpError && error.code === 'node_not_found' ? hasLeft(account.home, error) : error;
    });
    return info.method === 'GET' ? elsewhere : elsewhere.finally(() => this.#accounts.cells.forget(account.id));
  }
}

/** The client named no node that could be missing: what the account has cannot be reached. */
function hasLeft(node: string, cause: unknown): HttpError {
  const detail = `what this is about is at the node ${node}, which is not in the fleet`;
  return fail.node_unreachable(detail, { retryAfterSeconds: LEFT_SECONDS, cause });
}

/** Lets the other node ask again after a second: the home may have changed since it read it. */
const unreachable: Forward = (node) =>
  Promise.reject(fail.node_unreachable(`what this is about is at the node ${node}`, { retryAfterSeconds: 1 }));

/** Returns the body with defaults taken out. Bodies that are not objects are sent unchanged. */
const bodyOf = (schema: TObject, body: unknown): unknown =>
  schema.type === 'object' ? Object.fromEntries(given(body as Values, schema)) : body;

const encoded = (value: unknown): string => encodeURIComponent(String(value));

/** Returns members without those that have their defaults: a node of another version may not know them, and fills in its own. */
const given = (values: Values, schema: TObject | undefined): [string, unknown][] =>
  Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== schema?.properties[name]?.['default'],
  );

/** Writes a checked call again, encoded as a client would have sent it. Errors: 400 for a header that cannot be sent on. */
function requestOf({ info }: CompiledRoute, call: AdmittedCall, authorization: string) {
  const params = (call.params ?? {}) as Values;
  const path = (info.paths[0] ?? '').replaceAll(/[:*](\w+)/g, (_, name: string) => encoded(params[name]));
  const pairs = given((call.query ?? {}) as Values, info.query).map((pair) => pair.map(encoded).join('='));
  const named = (info.headers ?? []).map((name) => [name, call.header(name)] as const);
  const odd = named.find(([, value]) => NOT_PRINTABLE.test(value));
  if (odd !== undefined) throw fail.invalid_request(`the header ${odd[0]} is not printable ASCII`);
  const body = info.body === undefined ? undefined : JSON.stringify(bodyOf(info.body, call.body));
  return {
    address: call.address,
    method: info.method,
    path: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
    headers: { ...Object.fromEntries(named.filter(([, value]) => value !== '')), authorization },
    body,
    ip: call.ip,
    accountId: call.account?.id ?? 0,
    signal: call.signal,
  };
}
