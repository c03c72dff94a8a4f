import { readFileSync } from 'node:fs';
import { reply, type Reply } from '../../kernel/contract/reply.ts';
import type { RouteSpec } from '../../kernel/contract/route-spec.ts';
import { fail } from '../../kernel/errors.ts';
import { Text } from './schema.ts';

/** Where the build puts the index: beside this file, once it is compiled. */
const FILE = new URL('./assets/places.json', import.meta.url);
const BASE = '/home';

/** The pages of customers, which the build takes from their descriptions. */
export interface PlaceIndex {
  /** Paths below `/home`. */
  readonly paths: readonly string[];
  /** The path of the page that shows a feature, by its name. */
  readonly features: Readonly<Record<string, string>>;
}

let index: PlaceIndex | undefined;

/** Reads the index at first use. Without a build there is none, which the plugin's setup reports. */
export function readPlaces(): PlaceIndex {
  try {
    return (index ??= JSON.parse(readFileSync(FILE, 'utf8')) as PlaceIndex);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { paths: [], features: {} };
    throw error;
  }
}

/** Returns where each of the features is shown; one without a page of its own leads to the start. */
export const linksTo = (features: Iterable<string>): Record<string, string> =>
  Object.fromEntries(
    [...features].map((name) => {
      const path = readPlaces().features[name] ?? '/';
      return [name, path === '/' ? BASE : BASE + path];
    }),
  );

const routeName = (path: string) => `short ${path}`;

/** Returns a route for each page without `/home` before its path, such as `/files`, as people write it. */
export const shortRoutes = (): Record<string, RouteSpec> =>
  Object.fromEntries(
    readPlaces().paths.map((path) => [
      routeName(path),
      {
        method: 'GET',
        path,
        access: 'guest',
        summary: `Leads browsers to ${BASE}${path}`,
        described: false,
        headers: ['accept'],
        reply: Text,
        status: 302,
        produces: ['text/html'],
        errors: ['not_found'],
      },
    ]),
  );

type Asked = { header(name: 'accept'): string };

/** Returns the handlers of `shortRoutes`. Errors: 404 `not_found` for clients that do not accept HTML. */
export const shortHandlers = (): Record<string, (call: Asked) => Reply> =>
  Object.fromEntries(
    readPlaces().paths.map((path) => [
      routeName(path),
      (call: Asked) => {
        if (!/text\/html/i.test(call.header('accept'))) throw fail.not_found('no route has this path');
        return reply('', { type: 'text/html', headers: { Location: BASE + path, Vary: 'Accept' } });
      },
    ]),
  );
