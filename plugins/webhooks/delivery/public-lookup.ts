import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublic } from '../../../kernel/kit/net/ip.ts';

class ForbiddenAddress extends Error {}

type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves names for a connection, to public addresses only. The connection uses the very addresses that were checked,
 * so a name whose addresses change between check and use gains nothing.
 */
export function publicLookup(ask: Resolve = resolve): LookupFunction {
  return (name, options, callback) => {
    ask(name, { all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const fitting = addresses.filter(
        ({ address, family }) =>
          isPublic(address) &&
          (typeof options.family !== 'number' || options.family === 0 || options.family === family),
      );
      const first = fitting[0];
      if (first === undefined) return callback(new ForbiddenAddress(`${name} has no public address`), '');
      if (options.all === true) callback(null, fitting);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Throws for a URL whose host is a literal address that is not public, because connections to it skip the look-up, and for
 * names of this host, which always mean loopback addresses (RFC 6761, 6.3), even where no resolver knows them.
 */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if ((isIP(host) !== 0 && !isPublic(host)) || /(^|\.)localhost\.?$/.test(host))
    throw new ForbiddenAddress(`${host} is not a public address`);
}
