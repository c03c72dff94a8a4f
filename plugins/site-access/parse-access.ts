import { isIpRange } from '../../kernel/kit/net/ip.ts';
import { fail } from './errors.ts';
import type { ErrorPages } from './schema.ts';
import { ERROR_PATH, type SiteAccess } from './site-directives.ts';

/** Control characters, and what means something to the configuration of a web server or to its patterns. */
const FORBIDDEN = /[\u0000-\u001f\u007f"'`\\$;{}#*?%<>|^()[\]&\u2028\u2029\p{Surrogate}]/u;

/** Returns the path of a folder with one slash before each of its names. Errors: 400 `invalid_folder`. */
export function folderIn(text: string): string {
  const at = { path: '/path' };
  const names = text.normalize('NFC').split('/').filter(Boolean);
  if (!text.startsWith('/') || names.length === 0)
    throw fail.invalid_folder('the path must begin with / and name a folder of the site', at);
  if (FORBIDDEN.test(text) || names.some((name) => name === '.' || name === '..'))
    throw fail.invalid_folder('the path has characters that the web server cannot match', at);
  return `/${names.join('/')}`;
}

/** Returns addresses and ranges in lower case, each once. Errors: 400 `invalid_address_range`. */
export function rangesIn(addresses: readonly string[]): string[] {
  const ranges = addresses.map((each, i) => {
    const range = each.trim().toLowerCase();
    if (!/^[0-9a-f.:]+(?:\/\d{1,3})?$/.test(range) || !isIpRange(range))
      throw fail.invalid_address_range('write an address, or a range as in 192.0.2.0/24', { path: `/addresses/${i}` });
    return range;
  });
  return [...new Set(ranges)];
}

/** Errors: 400 `invalid_error_page`. */
export function errorPagesIn(given: ErrorPages['error_pages']): SiteAccess['errorPages'] {
  const pages = given.map(({ status, path }, i) => {
    if (!ERROR_PATH.test(path))
      throw fail.invalid_error_page('the page must be an HTML file of the site, such as /errors/404.html', {
        path: `/error_pages/${i}/path`,
      });
    return { status: status as SiteAccess['errorPages'][number]['status'], path };
  });
  if (new Set(pages.map(({ status }) => status)).size < pages.length)
    throw fail.invalid_error_page('a status has one page', { path: '/error_pages' });
  return pages;
}
