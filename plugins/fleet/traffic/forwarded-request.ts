import { fail, HttpError } from '../../../kernel/errors.ts';
import type { AdmittedCall } from '../../../kernel/contract/forwarding.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { isBytes, type IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { TObject } from '../../../kernel/schema.ts';

/** A request that another node answers. It was admitted here, and that node admits it again. */
export interface ForwardedRequest {
  readonly address: Address;
  readonly method: string;
  /** The path, encoded, with its query. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the bytes of a route that takes any. */
  readonly body: string | IncomingBody | undefined;
  /** The client's address. */
  readonly ip: string;
  /** Of the account that asks. */
  readonly accountId: number;
  /** Whether the client asks for a WebSocket. */
  readonly isHandshake: boolean;
  /** Aborted if the client disconnects. */
  readonly signal: AbortSignal;
}

export type FarSocketRequest = Pick<ForwardedRequest, 'path' | 'headers' | 'signal'>;

type Values = Readonly<Record<string, unknown>>;

/** Control characters, and what is not ASCII: clients of HTTP refuse to send some of it. */
const NOT_PRINTABLE = /[^\t -~]/;
/** When to ask for what was at a node that has left the fleet, until a node of that name joins. */
const LEFT_SECONDS = 60;

/** Writes a checked call again, encoded as a client would have sent it. Errors: 400 for a header that cannot be sent on. */
export function forwardedRequest(info: RouteInfo, call: AdmittedCall, authorization: string): ForwardedRequest {
  const params = (call.params ?? {}) as Values;
  const path = (info.paths[0] ?? '').replaceAll(/[:*](\w+)/g, (_, name: string) => encoded(params[name]));
  const pairs = given((call.query ?? {}) as Values, info.query).map((pair) => pair.map(encoded).join('='));
  const named = (info.headers ?? []).map((name) => [name, call.header(name)] as const);
  const { acceptLanguage } = call;
  const odd = named.find(([, value]) => NOT_PRINTABLE.test(value));
  if (odd !== undefined) throw fail.invalid_request(`the header ${odd[0]} is not printable ASCII`);
  return {
    address: call.address,
    method: info.method,
    path: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
    headers: {
      ...Object.fromEntries(named.filter(([, value]) => value !== '')),
      authorization,
      // for the texts that the other node writes
      ...(acceptLanguage !== '' && !NOT_PRINTABLE.test(acceptLanguage) && { 'accept-language': acceptLanguage }),
      'x-request-id': call.requestId, // so that it has one id in both logs, and in a problem that the other node reports
    },
    body: forwardedBody(info, call),
    ip: call.ip,
    accountId: call.account?.id ?? 0,
    isHandshake: call.handshake !== undefined,
    signal: call.signal,
  };
}

/** Returns why an account cannot be served whose home has left: its client named no node that could be missing. */
export function homeless(node: string, error: unknown): unknown {
  if (!(error instanceof HttpError && error.code === 'node_not_found')) return error;
  const detail = `the account's home node ${node} has left the fleet`;
  return fail.node_unreachable(detail, { retryAfterSeconds: LEFT_SECONDS, cause: error });
}

function forwardedBody({ body }: RouteInfo, call: AdmittedCall): string | IncomingBody | undefined {
  if (body === undefined) return undefined;
  return isBytes(body) ? (call.body as IncomingBody) : JSON.stringify(ownValues(body as TObject, call.body));
}

/** Returns the body with defaults taken out. Bodies that are not objects are sent unchanged. */
const ownValues = (schema: TObject, body: unknown): unknown =>
  schema.type === 'object' ? Object.fromEntries(given(body as Values, schema)) : body;

const encoded = (value: unknown): string => encodeURIComponent(String(value));

/** Returns members without those that have their defaults: a node of another version may not know them, and fills in its own. */
const given = (values: Values, schema: TObject | undefined): [string, unknown][] =>
  Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== schema?.properties[name]?.['default'],
  );
