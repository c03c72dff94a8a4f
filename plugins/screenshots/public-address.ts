import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Addresses } from '../../kernel/address.ts';

/** The special-purpose registry of IPv4 (RFC 6890 and its updates), multicast, reserved, and a cloud's metadata service on a public address. */
const NOT_PUBLIC_4 = new Addresses([
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
  '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24',
  '203.0.113.0/24', '224.0.0.0/3', '168.63.129.16/32',
]);
/** All that is public in IPv6 is in here; what carries an IPv4 address (mapped, NAT64) is outside, so are link-local and unique-local ones. */
const GLOBAL_6 = new Addresses(['2000::/3']);
/** Teredo and other protocols' ranges, documentation, 6to4. */
const NOT_PUBLIC_6 = new Addresses(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether an address belongs to the public Internet, as far as the address itself tells. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !NOT_PUBLIC_4.has(address);
  return isIPv6(address) && !address.includes('%') && GLOBAL_6.has(address) && !NOT_PUBLIC_6.has(address);
}

/** The node's own addresses: public or not, what listens there may count on a firewall that is not asked from within. */
export function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));
}
