import { checkServerIdentity, connect, type ConnectionOptions } from 'node:tls';
import type { Membership } from '../../../kernel/contract/node-info.ts';
import { splitHostPort } from '../../../kernel/kit/net/host-port.ts';
import { certificateHost, digestKey, type Destination } from '../membership/certificates.ts';
import type { Member } from '../store.ts';

const REACH_MS = 2000;

/**
 * Returns how to connect to a member: trusts a certificate of the fleet's own authority, for the name, with the key that the
 * store has for the member.
 */
export function trustIn(
  { ca, certificate, key }: Membership,
  destination: Destination,
  { name, keyDigest }: Member,
): ConnectionOptions {
  return {
    ca,
    cert: certificate,
    key,
    minVersion: 'TLSv1.3',
    servername: certificateHost(destination, name),
    // a certificate names the addresses of its node only, whatever else it is asked for
    checkServerIdentity: (_, shown) =>
      checkServerIdentity(certificateHost('user', name), shown) ??
      (digestKey(shown.raw) === keyDigest ? undefined : new Error(`the key is not that of the node ${name}`)),
  };
}

/** Splits the host:port of a node. Throws unless it names both: an empty host is every interface, and port 0 any port. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const { host, port } = splitHostPort(address);
  if (host === '' || !(port > 0 && port < 65_536))
    throw new Error(`${JSON.stringify(address)} is no host:port of a node`);
  return { host, port };
}

/** Resolves if a member listens, and is what it should be. Rejects with the reason if not. */
export function reach(own: Membership, member: Member): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...splitAddress(member.address), ...trustIn(own, 'user', member) });
    const settle = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once('secureConnect', () => settle()).once('error', settle);
    socket.setTimeout(REACH_MS, () => settle(new Error(`no answer within ${REACH_MS} ms`)));
  });
}
