import { BlockList, isIP } from 'node:net';

/** Formats a socket's binary address (4 or 16 bytes): IPv4-mapped addresses as IPv4, IPv6 by RFC 5952. */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const isMapped =
    bytes.length === 16 &&
    bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff;
  if (isMapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: bytes.length / 2 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return groups.length === 8 ? new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1) : '';
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

/**
 * Ranges that are not public: IANA's special-purpose registries for IPv4 and for the part of IPv6 in 2000::/3 (RFC 6890
 * and its updates), multicast and reserved ranges, and 168.63.129.16, at which Azure serves its virtual machines.
 */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
];
/** Made when first asked, because that takes some milliseconds. */
let special: IpRanges | undefined;
/**
 * The only range of IPv6 that is routed publicly. Outside it are loopback, unique-local, link-local and multicast
 * addresses, and most forms that embed an IPv4 address.
 */
const GLOBAL_UNICAST = new IpRanges(['2000::/3']);

/**
 * Returns whether an address is on the public Internet, as far as the address itself shows. Addresses with a zone are
 * not, nor are those that embed any IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), because a connection to
 * them may end in the internal network.
 */
export function isPublic(address: string): boolean {
  if (address.includes('%') || (special ??= new IpRanges(SPECIAL)).has(address)) return false;
  return isIP(address) === 4 || GLOBAL_UNICAST.has(address);
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
export function networkOf(ip: string, ipv6Bits: 64 | 48 = 64): string {
  const [address = ''] = ip.split('%');
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
      .join('.');
  return `${groups.slice(0, ipv6Bits / 16).join(':')}::/${ipv6Bits}`;
}
