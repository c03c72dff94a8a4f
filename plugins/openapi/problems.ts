import { STATUS_CODES } from 'node:http';
import { errorCodes, errorKind } from '../../kernel/errors.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import { changesHome, type Address } from '../../kernel/contract/route-spec.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { replySchema } from './json-schema.ts';
import type { Members } from './members.ts';
import type { Scope } from './scope.ts';

/** The schema of the RFC 9457 problem details that the kernel writes. */
const problemSchema = () => ({
  title: 'Problem',
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'error', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'urn:hostkeep:error:<error>' },
    title: { type: 'string', description: 'In the language of the account' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'Explains the problem with this request' },
    error: { type: 'string', enum: errorCodes(), description: 'Stable code for programs' },
    request_id: { type: 'string', description: 'Identifies the request in the log of the server' },
    feature: { type: 'string', description: 'With feature_disabled: the feature that is missing' },
    scope: { type: 'string', description: 'With scope_required: the scope that the API token lacks' },
    errors: {
      type: 'array',
      description: 'The invalid values, by JSON pointer',
      items: {
        title: 'InvalidValue',
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          line: { type: 'integer', minimum: 1, description: 'Where the value is a text of lines' },
        },
      },
    },
  },
});

const HEADERS: Readonly<Record<number, Members>> = {
  401: { 'WWW-Authenticate': { description: 'If the token is missing or invalid', schema: { type: 'string' } } },
  429: {
    'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } },
    'RateLimit-Policy': {
      description: 'The limits, as `"<name>";q=<quota>;w=<seconds>`, separated by commas',
      schema: { type: 'string' },
    },
    RateLimit: {
      description: 'The limit that is used up, and for how long: `"<name>";r=0;t=<seconds>`',
      schema: { type: 'string' },
    },
  },
  503: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } } },
};

/** Returns the problem replies of a route, by status; `x-hostkeep-errors` lists the codes for programs. */
export function describeProblems(route: RouteInfo, { address, named }: Scope): Members {
  const schema = replySchema(problemSchema() as unknown as TSchema, named);
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...commonCodes(route, address), ...(route.errors ?? [])])) {
    const [status] = errorKind(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), problem(status, codes, schema)]));
}

/** Errors that the kernel returns before or instead of the handler. */
function commonCodes(route: RouteInfo, address: Address): string[] {
  const { access, path, paths, params, body, scopes, tokens, idempotencyKey, at } = route;
  const isOpenToTokens = scopes !== undefined || tokens === 'delegated';
  const hasParams = params !== undefined || [path, ...paths].some((each) => /[:*]/.test(String(each)));
  return [
    'invalid_request', // a query that the route does not know, at the least
    ...(body === undefined ? [] : (['invalid_json', 'body_too_large', 'unsupported_media_type'] as const)),
    ...(access === 'guest' ? [] : ['authentication_required' as const]),
    ...(access === 'feature' ? ['feature_disabled' as const] : []),
    ...(address === 'admin' && access !== 'guest' ? ['admin_required' as const] : []),
    ...(access === 'guest' ? [] : [isOpenToTokens ? ('scope_required' as const) : ('session_required' as const)]),
    ...(address === 'admin' ? ['host_not_allowed' as const] : []),
    ...(hasParams ? ['not_found' as const] : []),
    ...(idempotencyKey === 'kept' ? (['request_in_progress', 'idempotency_key_reused'] as const) : []),
    ...(at === 'node' ? ['node_not_found' as const] : []),
    ...(at === undefined ? [] : ['node_unreachable' as const]),
    ...(changesHome(route) ? ['account_moving' as const] : []),
    'internal_error',
    'reply_too_large',
    'feature_unavailable',
    'overloaded',
    'store_unavailable',
  ];
}

function problem(status: number, codes: readonly string[], schema: Members): Members {
  const causes = codes.map((code) => `\`${code}\` (${errorKind(code)[1]})`);
  return {
    description: `${STATUS_CODES[status] ?? status}: ${causes.join(', ')}`,
    ...(HEADERS[status] && { headers: HEADERS[status] }),
    content: { 'application/problem+json': { schema } },
    'x-hostkeep-errors': codes,
  };
}
