import { existsSync, readFileSync } from 'node:fs';
import { domainToASCII, domainToUnicode } from 'node:url';

/** A label of a host name, in lower-case ASCII form. */
export const HOST_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** A host name in that form, of at least two labels. */
export const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:${HOST_LABEL}\\.)+${HOST_LABEL}$`);

/** Splits a configured `host:port`; drops the brackets of an IPv6 host. */
export function splitHostPort(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

/** Whether any program on this host listens on a TCP port, at any address. */
export function isListenedAt(port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listens = new RegExp(`^ *\\d+: [0-9A-F]+:${hex} [0-9A-F:]+ 0A `, 'm'); // see proc_net_tcp.txt of the kernel
  return ['tcp', 'tcp6'].some((name) => listens.test(readTable(`/proc/self/net/${name}`)));
}

function readTable(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''; // a kernel without IPv6 has no tcp6
}

/**
 * Whether a host name in lower-case ASCII is as `domainToASCII` returns it. Its labels in punycode are decoded and encoded
 * again, because `domainToASCII` of newer versions of Node.js passes those that no browser would decode (RFC 5891, 5.4).
 */
export function isCanonicalHost(name: string): boolean {
  return domainToASCII(name) === name && name.split('.').every(isCanonicalLabel);
}

function isCanonicalLabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const text = domainToUnicode(label);
  return !text.startsWith('xn--') && domainToASCII(text) === label;
}
