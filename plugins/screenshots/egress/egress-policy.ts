import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { splitHostPort } from '../../../kernel/kit/net/host-port.ts';
import { isPublic } from '../../../kernel/kit/net/ip.ts';
import type { Settings } from '../schema.ts';
import type { Destination } from './socks.ts';

/** Where to connect, and from which address of this node, if not from the one that the system chooses. */
export interface Upstream extends Destination {
  readonly localAddress?: string;
}
type EgressSettings = Pick<
  Settings,
  'site_address' | 'site_tls_address' | 'source_address' | 'public_addresses' | 'dns_servers'
>;

const DEFAULT_SITE: Destination = { host: '127.0.0.1', port: 80 };
const HTTP = 80;
const HTTPS = 443;
const RESOLVE_MS = 2000;

/**
 * Decides where a connection of a page may go. Names are resolved here, through name servers and never the hosts file,
 * and the result is an address: the address that was checked is the one connected to, however the name resolves next.
 */
export class EgressPolicy {
  readonly #settings: EgressSettings;
  readonly #webServer: () => Promise<Destination | undefined>;
  readonly #resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 });

  /** `webServer` returns where this node serves its domains, if a plugin does. */
  constructor(settings: EgressSettings, webServer: () => Promise<Destination | undefined> = async () => undefined) {
    this.#settings = settings;
    this.#webServer = webServer;
    if (settings.dns_servers.length > 0) this.#resolver.setServers(settings.dns_servers);
  }

  /**
   * Returns where to connect for a destination; `own` are the account's domains. Rejects when it is not allowed. An own
   * domain also has the port at which its web server listens, because the server's redirects may name that. Without a
   * server for port 443, `https` of an own domain leads where its name does, which is not to this node.
   */
  async admit({ host, port }: Destination, own: ReadonlySet<string>): Promise<Upstream> {
    const isOwn = own.has(host) || (host.startsWith('www.') && own.has(host.slice(4)));
    const site = isOwn ? await this.#siteAt(port) : undefined;
    if (site !== undefined) return this.#fromSource(site);
    if (!this.#settings.public_addresses) throw new Error(`${host} is not a domain of the account`);
    if (port !== HTTP && port !== HTTPS) throw new Error(`port ${port} is neither ${HTTP} nor ${HTTPS}`);
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const ofNode = nodeAddresses();
    const internal = addresses.find((address) => !isPublic(address) || ofNode.has(address));
    if (internal !== undefined) throw new Error(`${host} is at ${internal}, which is not public`);
    const [first] = addresses;
    if (first === undefined) throw new Error(`${host} has no address`);
    return { host: first, port };
  }

  /** Resolves with the servers of own domains as text. Rejects when one cannot be reached from the source address. */
  async describe(): Promise<string> {
    const { site_tls_address: tlsSite, source_address: source } = this.#settings;
    const { host, port } = await this.#fromSource(await this.#site());
    if (tlsSite !== '') await this.#fromSource(splitHostPort(tlsSite));
    return `http at ${host} port ${port}, https ${tlsSite === '' ? 'nowhere on this node' : `at ${tlsSite}`}, from ${source}`;
  }

  /** Returns the configured server for a port of an own domain. */
  async #siteAt(port: number): Promise<Destination | undefined> {
    const { site_tls_address: tls } = this.#settings;
    const site = await this.#site();
    if (port === HTTP || port === site.port) return site;
    const tlsSite = tls === '' ? undefined : splitHostPort(tls);
    return port === HTTPS || port === tlsSite?.port ? tlsSite : undefined;
  }

  async #site(): Promise<Destination> {
    const { site_address: site } = this.#settings;
    return site === '' ? ((await this.#webServer()) ?? DEFAULT_SITE) : splitHostPort(site);
  }

  /**
   * Connects to a server on this node from the source address, so that what it shows to local programs only, such as
   * status pages, is not shown to customers. Another machine sees an address of this node in any case.
   */
  async #fromSource({ host, port }: Destination): Promise<Upstream> {
    const { source_address: source } = this.#settings;
    const found = (await lookup(host, { all: true })).map(({ address }) => address);
    const ofNode = nodeAddresses();
    const local = found.filter((address) => isLoopback(address) || ofNode.has(address));
    const [remote] = found;
    if (local.length === 0 && remote !== undefined) return { host: remote, port };
    const reachable = local.find((address) => isIP(address) === isIP(source));
    if (reachable === undefined)
      throw new Error(`the web server at ${host} cannot be reached from ${source}, which is of another IP version`);
    return { host: reachable, port, localAddress: source };
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

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
