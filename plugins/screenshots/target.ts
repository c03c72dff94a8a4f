import { domainToASCII } from 'node:url';
import { HttpError } from '../../kernel/errors.ts';

/** What a picture is asked of. */
export interface Target {
  /** Lower-case ASCII. */
  readonly domain: string;
  /** Absolute, http, in the one form under which it is kept. */
  readonly url: string;
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`);
/** Letters and digits of any script; what else may stand in an address, `domainToASCII` would take for its end. */
const INTERNATIONAL = /^(?=.*[^\u0000-\u007f])[\p{L}\p{M}\p{N}.-]+$/u;
const CONTROL = /[\u0000-\u001f\u007f]/;
const URL_LIMIT = 2048;

/** Takes `<domain>[/<path>]`, decoded already, apart. Errors: 400 `invalid_domain`, `invalid_path`. */
export function targetOf(path: string): Target {
  if (CONTROL.test(path)) throw new HttpError('invalid_path', 'a path has no control characters');
  const slash = path.indexOf('/');
  const domain = asciiDomain(slash < 0 ? path : path.slice(0, slash));
  const url = new URL(`http://${domain}${slash < 0 ? '/' : path.slice(slash)}`);
  url.hash = '';
  if (url.href.length > URL_LIMIT)
    throw new HttpError('invalid_path', `the address of a page has at most ${URL_LIMIT} characters`);
  return { domain, url: url.href };
}

function asciiDomain(text: string): string {
  const lower = text.toLowerCase().replace(/\.$/, '');
  const domain = INTERNATIONAL.test(lower) ? domainToASCII(lower) : lower;
  if (!DOMAIN.test(domain) || domainToASCII(domain) !== domain)
    throw new HttpError('invalid_domain', 'the path begins with a domain name');
  return domain;
}
