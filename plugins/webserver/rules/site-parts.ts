import type { SiteDirectives, SitePlace } from '../../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../../kernel/errors.ts';
import { importDefault, pluginsWith } from '../../../kernel/kit/files/plugin-files.ts';
import { isObject } from '../../../kernel/schema.ts';
import type { Driver } from '../drivers.ts';

/** By plugin, from what it renders directives of a site. */
export type SiteParts = Readonly<Record<string, unknown>>;
type Rendered = Record<'tls' | 'guard' | 'first' | 'rest' | 'last', string[]>;
/** Renders parts for a web server, by where they stand. Checks each again. Errors: 400 `invalid_request`. */
export type RenderParts = (parts: SiteParts, place: SitePlace, isSuspended: boolean) => Rendered;

/** Loads what plugins add to virtual hosts. */
export async function partsRenderer({ name: server }: Pick<Driver, 'name'>): Promise<RenderParts> {
  const all = new Map<string, SiteDirectives>();
  for (const plugin of pluginsWith('site-directives')) {
    const directives = await importDefault<SiteDirectives>(plugin, 'site-directives');
    if (directives !== undefined) all.set(plugin, directives);
  }
  return (parts, place, isSuspended) => {
    const rendered: Rendered = { tls: [], guard: [], first: [], rest: [], last: [] };
    for (const [plugin, part] of Object.entries(parts)) {
      const directives = all.get(plugin);
      if (directives === undefined) throw fail.invalid_request(`${plugin} adds nothing to virtual hosts`);
      const { stands = 'rest' } = directives;
      if (isSuspended && stands !== 'tls') continue;
      const value = directives.read(part);
      rendered[stands].push(...directives[server](value, place));
      if (server === 'nginx') rendered.first.push(...(directives.nginxFirst?.(value) ?? []));
      if (server === 'nginx') rendered.last.push(...(directives.nginxLast?.(value) ?? []));
    }
    return rendered;
  };
}

/** Returns parts; what is in them is checked when they are rendered. Errors: 400 `invalid_request`. */
export function readParts(value: unknown): SiteParts {
  if (isObject(value)) return value;
  throw fail.invalid_request('expected an object');
}
