import { REDIRECT_PATH, REDIRECT_TARGET, type SiteRedirect } from '../../kernel/contract/points/web-server-part.ts';
import { fail } from './errors.ts';
import type { NewRedirect } from './schema.ts';

/** A host that no domain has. */
const NO_HOST = 'http://hostkeep.invalid';
const [AT_PATH, AT_TARGET] = [{ path: '/path' }, { path: '/target' }];

/** Returns a redirect with path and target in the form of URLs. Errors: 400 `invalid_redirect`. */
export function parseRedirect(body: NewRedirect): SiteRedirect {
  const { match, status, keep_path: keepsPath, keep_query: keepsQuery } = body;
  const isPrefix = match === 'prefix';
  const to = targetIn(body.target);
  if (keepsPath && !isPrefix)
    throw fail.invalid_redirect('nothing follows the path of an exact match', { path: '/keep_path' });
  if ((keepsPath || keepsQuery) && /[?#]/.test(to))
    throw fail.invalid_redirect('nothing can be appended to a target with a query or a fragment', AT_TARGET);
  const path = pathIn(body.path);
  return { from: isPrefix ? withoutSlash(path) || '/' : path, isPrefix, to, status, keepsPath, keepsQuery };
}

/**
 * Whether a redirect leads back to itself, maybe by others of its site, which has `names`. Those of a site never do without the new
 * one, so only its own target is followed.
 */
export function isCircular(redirect: SiteRedirect, others: readonly SiteRedirect[], names: readonly string[]): boolean {
  const all = [redirect, ...others].toSorted((a, b) => b.from.length - a.from.length);
  let path = ownPath(redirect.to, names);
  for (let step = 0; step <= others.length && path !== undefined; step++) {
    const from: string = path;
    const next = all.find((each) => isMatch(each, from));
    if (next === undefined || next === redirect) return next !== undefined;
    const kept = next.keepsPath ? from.slice(next.from === '/' ? 0 : next.from.length) : '';
    path = ownPath(kept === '' ? next.to : withoutSlash(next.to) + kept, names);
  }
  return false;
}

function isMatch({ from, isPrefix }: SiteRedirect, path: string): boolean {
  return path === from || (isPrefix && path.startsWith(`${withoutSlash(from)}/`));
}

/** Returns the path of a target on the site itself, whatever its scheme and port. */
function ownPath(target: string, names: readonly string[]): string | undefined {
  const url = new URL(target, `http://${names[0]}`);
  return names.includes(url.hostname) ? url.pathname : undefined;
}

const withoutSlash = (text: string) => text.replace(/\/$/, '');

function pathIn(text: string): string {
  const url = parsed(text);
  const path = url === undefined || !text.startsWith('/') || /[?#]/.test(text) ? '' : upperCase(url.pathname);
  if (url?.origin === NO_HOST && REDIRECT_PATH.test(path)) return path;
  throw fail.invalid_redirect(
    'the path must begin with one /, and have only letters, digits, spaces and -._~!,=@:+',
    AT_PATH,
  );
}

function targetIn(text: string): string {
  const url = parsed(text);
  const isPath = text.startsWith('/') && url?.origin === NO_HOST;
  const isUrl = /^https?:\/\//i.test(text) && url?.origin !== NO_HOST;
  const target = url === undefined ? '' : upperCase(isPath ? url.href.slice(NO_HOST.length) : url.href);
  if ((isPath || isUrl) && REDIRECT_TARGET.test(target)) return target;
  throw fail.invalid_redirect(
    'the target must be an absolute http or https URL of a host name, or a path; a character that cannot be in a URL is written by its code, an apostrophe as %27',
    AT_TARGET,
  );
}

/** Returns `undefined` for what is no URL, and for what a URL loses on its way through a parser. */
function parsed(text: string): URL | undefined {
  return /[\u0000-\u001f\u007f\\\p{Surrogate}]/u.test(text) || !URL.canParse(text, NO_HOST)
    ? undefined
    : new URL(text, NO_HOST);
}

/** Writes escaped bytes as browsers do. */
const upperCase = (text: string) => text.replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
