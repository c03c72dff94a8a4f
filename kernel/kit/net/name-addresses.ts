import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises';

const DNS_MS = 5000;
/** More are no use, and a name server may send hundreds. */
const MOST = 32;

/** The addresses of a name; `isKnown` is whether a name server answered for IPv4 and for IPv6. */
export interface NameAddresses {
  readonly addresses: readonly string[];
  readonly isKnown: boolean;
}

/** Looks up names at name servers, which are those of the system unless given. A look-up takes some ten seconds at most. */
export class NameServers {
  readonly #resolver = new Resolver({ timeout: DNS_MS, tries: 2 });

  constructor(servers: readonly string[]) {
    if (servers.length > 0) this.#resolver.setServers(servers);
  }

  /** Resolves with the addresses of a name; none if it has none, or no name server can tell. */
  async addressesOf(name: string): Promise<NameAddresses> {
    const found = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])).slice(0, MOST);
    return { addresses, isKnown: found.every((each) => each.status === 'fulfilled' || isNothing(each.reason)) };
  }
}

function isNothing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === NOTFOUND || code === NODATA;
}
