import { BlockList, isIP } from 'node:net';
import { lazyPackage } from '../programs/lazy-package.ts';

/** Loaded when first needed: it would take a twentieth of a start. */
const ipaddr = lazyPackage<typeof import('ipaddr.js')>('ipaddr.js', import.meta.url);

/** Formats a socket's binary address (4 or 16 bytes): IPv4-mapped addresses as IPv4, IPv6 by RFC 5952. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.'); // in each request
  if (bytes.length !== 16) return '';
  const address = new (ipaddr().IPv6)([...bytes]);
  return (address.isIPv4MappedAddress() ? address.toIPv4Address() : address).toString();
}

/** A set of IP addresses and CIDR ranges. The constructor throws a `RangeError` that names the first invalid one. */
export class IpRanges {
  readonly #list = new BlockList();
  readonly isEmpty: boolean;

  constructor(ranges: readonly string[]) {
    this.isEmpty = ranges.length === 0;
    for (const range of ranges) this.#add(range);
  }

  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  }

  #add(range: string): void {
    const [address = '', prefix] = range.split('/');
    const version = isIP(address);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    const bits = Number(prefix ?? (version === 6 ? 128 : 32));
    if (version === 0 || !Number.isInteger(bits) || bits < 0 || bits > (version === 6 ? 128 : 32))
      throw new RangeError(`${range} is not an address or a CIDR range`);
    this.#list.addSubnet(address, bits, family);
  }
}

/** Whether a text is an IP address or a CIDR range. */
export function isIpRange(text: string): boolean {
  try {
    return !new IpRanges([text]).isEmpty;
  } catch {
    return false; // which is what it says
  }
}

/** Ranges that ipaddr.js takes for public: 168.63.129.16, at which Azure serves its virtual machines, and the former 6bone. */
const SPECIAL = new IpRanges(['168.63.129.16', '3ffe::/16']);
/**
 * The only range of IPv6 that is routed publicly. Outside it are loopback, unique-local, link-local and multicast
 * addresses, and most forms that embed an IPv4 address.
 */
const GLOBAL_UNICAST = new IpRanges(['2000::/3']);

/**
 * Returns whether an address is on the public Internet, as far as the address itself shows. Addresses with a zone are
 * not, nor are those that embed any IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), because a connection to
 * them may end in the internal network. Nor are forms that only ipaddr.js takes for an address, such as `0x7f.1`.
 */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%') || SPECIAL.has(address)) return false;
  return (version === 4 || GLOBAL_UNICAST.has(address)) && ipaddr().parse(address).range() === 'unicast';
}

/** The longest chain of proxies that is followed; clients may send any number of hops. */
const HOPS = 32;

/**
 * Returns the client's address: the socket's, or, behind trusted proxies, the last hop of X-Forwarded-For that is not a
 * trusted proxy. Clients can forge the hops before that one. Behind a malformed hop, nothing counts.
 */
export function clientAddress(socket: string, forwardedFor: string, proxies: IpRanges): string {
  let client = socket;
  let end = forwardedFor.length;
  for (let hops = 0; hops < HOPS && end >= 0 && proxies.has(client); hops += 1) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const address = hopAddress(forwardedFor.slice(comma + 1, end).trim());
    if (address === undefined) return client;
    client = address;
    end = comma;
  }
  return client;
}

/** Returns the address of a hop without its port, its brackets and its zone; `undefined` if the hop is malformed. */
function hopAddress(hop: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(hop) ?? [];
  const address = bracketed ?? dotted ?? hop;
  const version = isIP(address);
  const isFit = version !== 0 && (bracketed === undefined || version === 6);
  return isFit ? address.replace(/%.*$/, '') : undefined;
}

/**
 * Returns the part of an address that its user cannot vary at will: the whole IPv4 address, or the /64 network of IPv6.
 * With 48 bits it is the network of IPv6 that a site gets, which holds 65,536 of those.
 */
export function addressNetwork(ip: string, ipv6Bits: 64 | 48 = 64): string {
  const [address = ''] = ip.split('%');
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr().IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const groups = parsed.parts.slice(0, ipv6Bits / 16).map((group) => group.toString(16));
  return `${groups.join(':')}::/${ipv6Bits}`;
}
