import type { X509Certificate } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { FleetPlace, Membership } from '../../../kernel/contract/node-info.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Log } from '../../../kernel/log.ts';
import { parseDestination, digestKey } from '../membership/certificates.ts';
import type { MemberKey } from '../store.ts';
import type { Directory } from './directory.ts';
import { splitAddress } from './trust.ts';

const HANDSHAKE_MS = 5000;
/** Beyond any time limit of a route. Connections that wait for their next request are closed much earlier, by the server behind. */
const IDLE_MS = 400_000;
const KEEPALIVE_MS = 15_000;
const CONNECTIONS = 4096;
/** Those that have not shown a certificate yet. One more closes the oldest, so that strangers keep no node out. */
const NEWCOMERS = 256;
/** Between two tries to listen. */
const RETRY_MS = 100;

interface ListenerParts extends Pick<Directory, 'hasKey' | 'findKey'> {
  /** Outlives reloads, as connections do. */
  readonly workers: Workers;
  readonly place: FleetPlace;
  /** Returns the host:port to listen at; `undefined` while it is not known. */
  readonly address: () => string | undefined;
  readonly log: Log;
  /** Serves a connection that is for a plugin, and not for one of the addresses. */
  takeIn(socket: TLSSocket, node: string): void;
}

type Workers = Host['workers'];
/** The connections of members, also those that were admitted before a reload. */
const admittedBy = new WeakMap<Workers, Map<TLSSocket, MemberKey>>();
/** Who has the port of a process: during a reload, the listener of the configuration before. */
const listeningIn = new WeakMap<Workers, FleetListener>();

const securedBy = ({ ca, certificate, key }: Membership) => ({ ca, cert: certificate, key });

/**
 * Listens to the other nodes: decrypts what arrives, and passes the bytes on to this process's own sockets. uWebSockets.js
 * cannot ask for certificates of clients, so this does.
 */
export class FleetListener {
  readonly #parts: ListenerParts;
  readonly #server: Server;
  readonly #admitted: Map<TLSSocket, MemberKey>;
  /** By the address at their other end. */
  readonly #newcomers = new Map<string, Socket>();
  /** Called with the port free. */
  #next: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Why this does not listen; `undefined` if it does. */
  fault: string | undefined = 'it has not begun';

  private constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#admitted = admittedBy.get(parts.workers) ?? new Map<TLSSocket, MemberKey>();
    admittedBy.set(parts.workers, this.#admitted);
    this.#server = createServer({
      ...securedBy(parts.place.membership()),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
      handshakeTimeout: HANDSHAKE_MS,
      ALPNProtocols: ['http/1.1'],
    });
    this.#server.maxConnections = CONNECTIONS;
    this.#server.on('connection', (socket) => this.#receive(socket));
    this.#server.on('secureConnection', (socket) => void this.#admit(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      parts.log.debug(
        { err: error, ip: socket.remoteAddress },
        'a connection to the listener of the fleet was refused',
      );
      socket.destroy(); // Node.js leaves one open that says nothing
    });
    this.#server.on('error', (error: NodeJS.ErrnoException) => this.#failed(error));
    this.#server.on('listening', () => (this.fault = undefined));
  }

  /**
   * Resolves once it listens, or could not at first; it goes on trying. A listener of this process that has the port already
   * keeps it until it is closed, so that a reload that fails changes nothing.
   */
  static async start(parts: ListenerParts): Promise<FleetListener> {
    const listener = new FleetListener(parts);
    const before = listeningIn.get(parts.workers);
    if (before !== undefined && before.fault === undefined) {
      listener.fault = undefined;
      before.#next = () => listener.#listen();
      return listener;
    }
    await new Promise<void>((resolve) => {
      listener.#server.once('listening', resolve).once('error', () => resolve());
      listener.#listen();
    });
    return listener;
  }

  /** Takes over a renewed certificate, and closes the connections of nodes that are no members any more. */
  renew(): void {
    this.#server.setSecureContext({ ...securedBy(this.#parts.place.membership()), minVersion: 'TLSv1.3' });
    for (const [socket, { name, keyDigest }] of this.#admitted)
      if (!this.#parts.hasKey(name, keyDigest)) socket.destroy();
  }

  /** Frees the port. Connections go on: what they wait for is answered, and the server behind them closes them. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#server.close();
    if (listeningIn.get(this.#parts.workers) === this) listeningIn.delete(this.#parts.workers);
    this.#next?.();
  }

  #listen(): void {
    if (this.#isClosed) return;
    listeningIn.set(this.#parts.workers, this);
    try {
      const address = this.#parts.address();
      if (address === undefined) throw new Error('its address is not known: the members of the fleet cannot be read');
      this.#server.listen({ ...splitAddress(address), exclusive: true });
    } catch (error) {
      this.#server.emit('error', error);
    }
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#isClosed) return;
    if (this.fault !== error.message)
      this.#parts.log.warn({ err: error }, 'cannot listen for the other nodes; will retry');
    this.fault = error.message;
    this.#retry = setTimeout(() => this.#listen(), RETRY_MS).unref();
  }

  #receive(socket: Socket): void {
    const end = otherEndOf(socket);
    this.#newcomers.set(end, socket);
    socket.once('close', () => this.#newcomers.delete(end));
    const [oldest] = this.#newcomers.values();
    if (this.#newcomers.size > NEWCOMERS) oldest?.destroy();
  }

  /** Admits a member also at its first connection, which may come before this process has heard that it joined. */
  async #admit(socket: TLSSocket): Promise<void> {
    const { place, log } = this.#parts;
    socket.on('error', () => socket.destroy());
    this.#newcomers.delete(otherEndOf(socket));
    const destination = parseDestination(socket.servername, place.name);
    const peer = peerOf(socket.getPeerX509Certificate());
    const isMember = peer !== undefined && (await this.#parts.findKey(peer.name, peer.keyDigest));
    if (destination === undefined || !isMember) {
      log.warn(
        { ip: socket.remoteAddress, servername: socket.servername },
        'refused a connection that is not from a node of the fleet',
      );
      socket.destroy();
      return;
    }
    this.#admitted.set(socket, peer);
    socket.once('close', () => this.#admitted.delete(socket));
    if (destination === 'direct') return this.#parts.takeIn(socket, peer.name);
    const inner = connect(place.sockets[destination]);
    inner.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => inner.destroy());
    socket.setKeepAlive(true, KEEPALIVE_MS);
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }
}

const otherEndOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Returns who a certificate of the fleet says that its owner is. */
function peerOf(certificate: X509Certificate | undefined): MemberKey | undefined {
  const name = /^CN=(.+)$/m.exec(certificate?.subject ?? '')?.[1];
  return certificate === undefined || name === undefined ? undefined : { name, keyDigest: digestKey(certificate.raw) };
}
