import { networkInterfaces } from 'node:os';

/** The node's own addresses: public or not, what listens there may count on a firewall that is not asked from within. */
export function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));
}
