import { fail, HttpError, invalid, unauthenticated } from '../errors.ts';
import { Reply, Stream } from '../contract/reply.ts';
import type { RouteAnswer, RouteCalls, RouteInput } from '../contract/route-calls.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import { isWebSocket, type Call } from '../contract/route-spec.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { RequestContext } from './request-context.ts';

/** The routes of the table that accepted the call's request, so that those of a reload are not mixed with it. */
export const routeCalls: RouteCalls = {
  usable(call) {
    const context = contextOf(call);
    return context.table.routes
      .filter((route) => isCallable(route.info) && admits(route, context))
      .map(({ info }) => info);
  },

  async call(call, operation, input = {}) {
    const context = contextOf(call);
    const route = context.table.routes.find(({ info }) =>
      info.paths.some((path) => operation === `${info.method} ${path}`),
    );
    if (route === undefined) throw fail.not_found(`this server does not offer ${operation}`);
    if (!isCallable(route.info)) throw new Error(`${operation} cannot be called by another route`);
    authorize(route, context);
    const inner = innerCall(route, context, input);
    const answer = context.table.dispatch(route.info, inner, context.authorization, () => route.handle(inner));
    return answerOf(route, await answer);
  },
};

/** A called route has no context of its own, so it cannot call a further one. */
function contextOf(call: unknown): RequestContext {
  if (call instanceof RequestContext) return call;
  throw new Error('only a route that a client asked can call another one');
}

function isCallable(info: RouteInfo): boolean {
  return info.tokens !== 'delegated' && !isWebSocket(info) && info.produces?.includes('text/event-stream') !== true;
}

function authorize(route: CompiledRoute, { account, session, table }: RequestContext): void {
  if (route.isGuest) return;
  if (account === undefined || session === undefined) throw unauthenticated();
  route.authorize(account, table.usersMayEnter, session.grant);
}

function admits(route: CompiledRoute, context: RequestContext): boolean {
  try {
    authorize(route, context);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** Checks the input as the client's would be: encoded, so that one piece of code decodes and refuses. */
function innerCall(
  route: CompiledRoute,
  outer: RequestContext,
  { params = {}, query = {}, body, headers = {} }: RouteInput,
) {
  const stray = Object.keys(params).find((name) => !route.paramNames.includes(name));
  if (stray !== undefined) throw invalid('path', [{ path: `/${stray}`, message: 'is not known here' }]);
  if (route.takesBytes)
    throw new Error(`${route.info.plugin}.${route.info.name} takes bytes, which no call from within has`);
  if (route.hasBody && body === undefined) throw invalid('body', [{ path: '', message: 'is missing: send JSON' }]);
  if (!route.hasBody && body !== undefined) throw invalid('body', [{ path: '', message: 'is not known here' }]);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const call = {
    account: route.isGuest ? undefined : outer.account,
    session: route.isGuest ? undefined : outer.session,
    address: outer.address,
    page: undefined,
    params: route.params(route.paramNames.map((name) => encoded(params[name] ?? ''))),
    query: route.query(given.map((pair) => pair.map(encoded).join('=')).join('&')),
    body: route.body(body),
    get ip() {
      return outer.ip;
    },
    get requestId() {
      return outer.requestId;
    },
    get signal() {
      return outer.signal;
    },
    get acceptLanguage() {
      return outer.acceptLanguage;
    },
    header(name: string) {
      if (route.info.headers?.includes(name) !== true)
        throw new Error(`the route does not declare the request header ${name}`);
      return headers[name] ?? '';
    },
  };
  return call as unknown as Call;
}

function encoded(value: unknown): string {
  try {
    return encodeURIComponent(String(value));
  } catch (cause) {
    throw fail.invalid_request('a text for path or query is not valid Unicode', { cause });
  }
}

function answerOf({ info }: CompiledRoute, result: unknown): RouteAnswer {
  if (result instanceof Stream) throw new Error(`${info.plugin}.${info.name} streams without saying so in its table`);
  const { status = 200 } = info;
  if (!(result instanceof Reply)) return { status, value: result, reply: undefined };
  const isJson = result.type === 'application/json';
  const value = isJson ? (JSON.parse(Buffer.from(result.body).toString('utf8')) as unknown) : undefined;
  return { status: result.status ?? status, value, reply: result };
}
