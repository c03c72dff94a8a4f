import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { Addresses } from '../../kernel/address.ts';

/** What is not the public internet, and what clouds answer on their own (RFC 6890, and 168.63.129.16 of Azure). */
const NOT_PUBLIC = new Addresses([
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24',
  '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16',
  '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20',
]);
/** Of IPv6 only this is routed; IPv4 in other clothes is outside of it, or in the list above. */
const ROUTED = new Addresses(['2000::/3']);

export function isPublic(address: string): boolean {
  return isIP(address) !== 0 && !NOT_PUBLIC.has(address) && (!isIPv6(address) || ROUTED.has(address));
}

export class ForbiddenAddress extends Error {}

type Resolve = (name: string, options: { all: true }, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/**
 * Resolves names for a connection, and hands out public addresses only. What it hands out is what is connected to,
 * so a name that says one thing when asked and another when used gains nothing.
 */
export function publicLookup(ask: Resolve = resolve): LookupFunction {
  return (name, options, callback) => {
    ask(name, { all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const fitting = addresses.filter(({ address, family }) => isPublic(address) && (typeof options.family !== 'number' || options.family === 0 || options.family === family));
      const first = fitting[0];
      if (first === undefined) return callback(new ForbiddenAddress(`${name} has no public address`), '');
      if (options.all === true) callback(null, fitting);
      else callback(null, first.address, first.family);
    });
  };
}

/** Throws `ForbiddenAddress` for a URL whose host is an address that is not public: such are connected to without a look-up. */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) throw new ForbiddenAddress(`${host} is not a public address`);
}
