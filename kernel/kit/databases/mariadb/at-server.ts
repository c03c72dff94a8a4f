import type { ServerLogin } from '../mariadb-programs.ts';

const LOCAL: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '::1']);
/** A host, in brackets if it has colons, with a port or a socket; `p:` asks PHP for a connection that lasts. */
const WRITTEN = /^(?:p:)?(?:\[([^\]]*)\]|(::1|[^:/]*))(?::(\d*)|:(\/.*))?$/;

/**
 * Whether a host as applications write it is a server. Where that is reached by a socket, any local port counts: for `localhost`,
 * applications use the socket whatever port they name.
 */
export function isAtServer(written: string, server: Pick<ServerLogin, 'socket' | 'host' | 'port'>): boolean {
  const match = WRITTEN.exec(written.trim().toLowerCase());
  if (match === null) return false;
  const [, inBrackets, plain = '', port = '', socket = ''] = match;
  const host = inBrackets ?? plain;
  if (socket !== '') return LOCAL.has(host) && server.socket !== '' && settled(socket) === settled(server.socket);
  if (server.socket !== '') return LOCAL.has(host);
  const isSame = LOCAL.has(server.host.toLowerCase()) ? LOCAL.has(host) : host === server.host.toLowerCase();
  return isSame && (port === '' || Number(port) === server.port);
}

/** Debian has one folder by two names. */
const settled = (socket: string): string => socket.replace(/^\/var\/run\//, '/run/');
