import { domainToASCII } from 'node:url';
import { isCanonicalHost } from '../../../kernel/kit/net/host-port.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Browsers parse a host whose last label is a number as an IPv4 address (WHATWG URL, "ends in a number"). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;
const MAX_LENGTH = 253;

/** Loaded on first use: parsing the public suffix list adds 30 ms to startup. */
const suffixes = lazyPackage<typeof import('tldts')>('tldts', import.meta.url);

/**
 * Returns the lower-case ASCII form of a domain name that can be registered (RFC 1123 labels, RFC 5890 for other
 * scripts), without one trailing dot, or the `problem` with it.
 */
export function parseDomain(
  text: string,
): { name: string; problem?: undefined } | { name?: undefined; problem: string } {
  if (/[\u0000-\u0020\u007f%]/.test(text))
    return { problem: 'the name has characters that are not allowed in a domain name' };
  const isAscii = /^[\u0021-\u007e]*$/.test(text);
  const lower = isAscii ? text.toLowerCase() : domainToASCII(text);
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  if (name === '') return { problem: 'the name is empty or not valid in a domain name' };
  if (name.length > MAX_LENGTH) return { problem: `a domain name can have at most ${MAX_LENGTH} characters` };
  const labels = name.split('.');
  if (labels.length < 2) return { problem: 'a domain name needs at least two labels' };
  if (!labels.every((label) => LABEL.test(label)))
    return { problem: 'a label must have 1 to 63 letters, digits or hyphens, and no hyphen at either end' };
  if (NUMBER.test(labels.at(-1) ?? '')) return { problem: 'an IP address is not a domain name' };
  if (!isCanonicalHost(name)) return { problem: 'the punycode of the name is not valid' };
  return { name };
}

/** Returns part of a name in the form that names have here: of other scripts, in whole labels. */
export function namePart(text: string): string {
  const lower = text.toLowerCase();
  return /^[\u0021-\u007e]*$/.test(lower) ? lower : domainToASCII(lower) || lower;
}

/** Returns `com.example.shop` for `shop.example.com`: in this order, all subdomains of a domain are one range. */
export function reversedName(name: string): string {
  return name.split('.').toReversed().join('.');
}

/** Returns the parent domains of a name, nearest first, without the top-level domain. */
export function parentNames(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1, -1).map((_, i) => labels.slice(i + 1).join('.'));
}

/** Whether a name equals `parent` or is a subdomain of it. */
export function isWithin(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`);
}

/** Returns the public suffix of a name, including private ones (`github.io`); the last label where none is listed. */
export function publicSuffix(name: string): string {
  return (
    suffixes().getPublicSuffix(name, { allowPrivateDomains: true, validateHostname: false }) ??
    name.slice(name.lastIndexOf('.') + 1)
  );
}
