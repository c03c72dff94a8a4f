import { fail, isErrorCode, unauthenticated } from '../errors.ts';
import { CompiledRoute, type Handler } from '../http/compiled-route.ts';
import type { Idempotency } from '../http/idempotency.ts';
import type { Sessions } from '../identity/gate/sessions.ts';
import type { RouteInfo } from '../contract/node-info.ts';
import type { Plugin, Setup } from '../contract/plugin.ts';
import type { RouteSpecs } from '../contract/route-spec.ts';
import { describe } from './route-infos.ts';

/** Returns the routes of a plugin that is ready. Throws if one has no handler. */
export function pluginRoutes(
  plugin: Plugin,
  config: unknown,
  setup: Setup<RouteSpecs>,
  idempotency: Idempotency,
  sessions: Sessions,
): CompiledRoute[] {
  return tableOf(plugin, config).map((info) => {
    const handle = whileAlive(handlerOf(setup, info), sessions);
    return new CompiledRoute(info, idempotency.around(info, handle));
  });
}

/** Returns the routes of a plugin that could not start: they answer 503 `feature_unavailable`. */
export function routesOfUnavailable(plugin: Plugin, config: unknown): CompiledRoute[] {
  const handle: Handler = () => {
    throw fail.feature_unavailable(`${plugin.name} is not available on this server at the moment`, {
      retryAfterSeconds: 30,
    });
  };
  return tableOf(plugin, config).map((info) => new CompiledRoute(info, handle));
}

/** Throws if a route names an error that nobody declares. */
function tableOf({ name, features, routes }: Plugin, config: unknown): RouteInfo[] {
  const table = typeof routes === 'function' ? routes(config) : routes;
  for (const [route, { errors = [] }] of Object.entries(table)) {
    const unknown = errors.find((code) => !isErrorCode(code));
    if (unknown !== undefined)
      throw new Error(`route ${name}.${route} names the error ${unknown}, which is not declared`);
  }
  return describe(name, features, table);
}

function handlerOf(setup: Setup<RouteSpecs>, info: RouteInfo): Handler {
  const handle = setup.handlers[info.name];
  if (handle === undefined) throw new Error(`route ${info.plugin}.${info.name} has no handler`);
  return handle as Handler;
}

/** Turns a handler's error into the 401 that the next request would get, if the session ended while the handler ran. */
function whileAlive(handle: Handler, sessions: Sessions): Handler {
  return (call) => {
    const result = handle(call);
    if (!(result instanceof Promise) || call.session === undefined) return result;
    const { session } = call;
    return result.catch(async (error: unknown) => {
      throw (await sessions.isAlive(session)) ? error : unauthenticated();
    });
  };
}
