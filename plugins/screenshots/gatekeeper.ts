import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublic } from '../../kernel/system/ip.ts';
import { splitHostPort } from '../../kernel/system/host-port.ts';
import { ownAddresses } from './own-addresses.ts';
import type { Settings } from './schema.ts';
import type { Destination } from './socks.ts';

export class Refused extends Error {}

/** Where web servers are, unless something else is said. */
const USUAL_SITE: Destination = { host: '127.0.0.1', port: 80 };
const HTTP = 80;
const HTTPS = 443;
const RESOLVE_MS = 2000;

/**
 * Says where a connection of a page may go. Names are resolved here, by asking name servers and never the hosts file,
 * and the answer is an address: what was checked is what is connected to, however the name resolves the next time.
 */
export class Gatekeeper {
  readonly #site: () => Promise<Destination>;
  readonly #tlsSite: () => Promise<Destination>;
  readonly #allowsPublic: boolean;
  readonly #resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 });

  /** `served` knows where this node's domains are served, if anything does. */
  constructor(
    settings: Pick<Settings, 'site_address' | 'site_tls_address' | 'public_addresses' | 'dns_servers'>,
    served: () => Promise<Destination | undefined> = async () => undefined,
  ) {
    const { site_address: site, site_tls_address: tlsSite } = settings;
    this.#site = async () => (site === '' ? ((await served()) ?? USUAL_SITE) : splitHostPort(site));
    this.#tlsSite = async () =>
      tlsSite === '' ? { host: (await this.#site()).host, port: HTTPS } : splitHostPort(tlsSite);
    this.#allowsPublic = settings.public_addresses;
    if (settings.dns_servers.length > 0) this.#resolver.setServers(settings.dns_servers);
  }

  /** Where to connect for a destination; `own` are the account's domains. Rejects with `Refused`. */
  async admit({ host, port }: Destination, own: ReadonlySet<string>): Promise<Destination> {
    const isOwn = own.has(host) || (host.startsWith('www.') && own.has(host.slice(4)));
    if (isOwn && port === HTTP) return this.#site();
    if (isOwn && port === HTTPS) return this.#tlsSite();
    if (!this.#allowsPublic) throw new Refused(`${host} is not the account's`);
    if (port !== HTTP && port !== HTTPS) throw new Refused(`port ${port} is not the Web's`);
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const nodes = ownAddresses();
    const internal = addresses.find((address) => !isPublic(address) || nodes.has(address));
    if (internal !== undefined) throw new Refused(`${host} is at ${internal}, which is not public`);
    const [first] = addresses;
    if (first === undefined) throw new Refused(`${host} has no address`);
    return { host: first, port };
  }

  async #resolve(name: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}
