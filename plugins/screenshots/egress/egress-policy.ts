import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { splitHostPort } from '../../../kernel/system/host-port.ts';
import { isPublic } from '../../../kernel/system/ip.ts';
import type { Settings } from '../schema.ts';
import type { Destination } from './socks.ts';

const DEFAULT_SITE: Destination = { host: '127.0.0.1', port: 80 };
const HTTP = 80;
const HTTPS = 443;
const RESOLVE_MS = 2000;

/**
 * Decides where a connection of a page may go. Names are resolved here, through name servers and never the hosts file,
 * and the result is an address: the address that was checked is the one connected to, however the name resolves next.
 */
export class EgressPolicy {
  readonly #site: () => Promise<Destination>;
  readonly #tlsSite: () => Promise<Destination>;
  readonly #allowsPublic: boolean;
  readonly #resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 });

  /** `webServer` returns where this node serves its domains, if a plugin does. */
  constructor(
    settings: Pick<Settings, 'site_address' | 'site_tls_address' | 'public_addresses' | 'dns_servers'>,
    webServer: () => Promise<Destination | undefined> = async () => undefined,
  ) {
    const { site_address: site, site_tls_address: tlsSite } = settings;
    this.#site = async () => (site === '' ? ((await webServer()) ?? DEFAULT_SITE) : splitHostPort(site));
    this.#tlsSite = async () =>
      tlsSite === '' ? { host: (await this.#site()).host, port: HTTPS } : splitHostPort(tlsSite);
    this.#allowsPublic = settings.public_addresses;
    if (settings.dns_servers.length > 0) this.#resolver.setServers(settings.dns_servers);
  }

  /**
   * Returns where to connect for a destination; `own` are the account's domains. Rejects when it is not allowed. An own
   * domain also has the port at which its web server listens, because the server's redirects may name that.
   */
  async admit({ host, port }: Destination, own: ReadonlySet<string>): Promise<Destination> {
    const isOwn = own.has(host) || (host.startsWith('www.') && own.has(host.slice(4)));
    if (isOwn) {
      const [site, tlsSite] = await Promise.all([this.#site(), this.#tlsSite()]);
      if (port === HTTP || port === site.port) return site;
      if (port === HTTPS || port === tlsSite.port) return tlsSite;
    }
    if (!this.#allowsPublic) throw new Error(`${host} is not a domain of the account`);
    if (port !== HTTP && port !== HTTPS) throw new Error(`port ${port} is neither ${HTTP} nor ${HTTPS}`);
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const ofNode = nodeAddresses();
    const internal = addresses.find((address) => !isPublic(address) || ofNode.has(address));
    if (internal !== undefined) throw new Error(`${host} is at ${internal}, which is not public`);
    const [first] = addresses;
    if (first === undefined) throw new Error(`${host} has no address`);
    return { host: first, port };
  }

  async #resolve(name: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}

/** The node's own addresses, public ones too: a firewall that guards its services may not cover local traffic. */
function nodeAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));
}
