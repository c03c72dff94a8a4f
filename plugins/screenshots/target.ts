import { domainToASCII } from 'node:url';
import { isCanonicalHost } from '../../kernel/kit/net/host-port.ts';
import { fail } from './errors.ts';

/** The page of a screenshot. */
export interface Target {
  /** Lower-case ASCII. */
  readonly domain: string;
  /** Absolute, http, normalized: the key under which the screenshot is cached. */
  readonly url: string;
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`);
/** Letters and digits of any script; `domainToASCII` would take other URL characters for the end of the host. */
const INTERNATIONAL = /^(?=.*[^\u0000-\u007f])[\p{L}\p{M}\p{N}.-]+$/u;
const CONTROL = /[\u0000-\u001f\u007f]/;
const URL_LIMIT = 2048;

/** Parses `<domain>[/<path>]`, already percent-decoded. Errors: 400 `invalid_domain`, `invalid_path`. */
export function parseTarget(path: string): Target {
  if (CONTROL.test(path)) throw fail.invalid_path('the path contains control characters');
  const slash = path.indexOf('/');
  const domain = asciiDomain(slash < 0 ? path : path.slice(0, slash));
  const url = new URL(`http://${domain}${slash < 0 ? '/' : path.slice(slash)}`);
  url.hash = '';
  if (url.href.length > URL_LIMIT)
    throw fail.invalid_path(`the URL of the page is longer than ${URL_LIMIT} characters`);
  return { domain, url: url.href };
}

function asciiDomain(text: string): string {
  const lower = text.toLowerCase().replace(/\.$/, '');
  const domain = INTERNATIONAL.test(lower) ? domainToASCII(lower) : lower;
  if (!DOMAIN.test(domain) || !isCanonicalHost(domain))
    throw fail.invalid_domain('the path must begin with a domain name');
  return domain;
}
