import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublic } from '../../kernel/system/ip.ts';

export class ForbiddenAddress extends Error {}

type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves names for a connection, and hands out public addresses only. What it hands out is what is connected to,
 * so a name that says one thing when asked and another when used gains nothing.
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

/** Throws `ForbiddenAddress` for a URL whose host is an address that is not public: such are connected to without a look-up. */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) throw new ForbiddenAddress(`${host} is not a public address`);
}
