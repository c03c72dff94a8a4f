/** Unix sockets at which the web server reaches programs of accounts: in a folder for each account, which only root changes. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { fail } from '../../errors.ts';

/** Who owns the folders and sockets: root, but in a demo of somebody else. */
export const OWN_UID = process.geteuid?.() ?? 0;

export const accountSocket = (folder: string, accountId: number, name: string): string =>
  join(folder, String(accountId), `${name}.sock`);

/** Checks again whose a socket is, whatever its plugin has checked. Errors: 400 `invalid_request`. */
export function assertSocketBelongs(path: string, accountId: number): void {
  if (path.split('/').at(-2) !== String(accountId))
    throw fail.invalid_request(`${path} is not a socket of the account ${accountId}`);
}

/** Returns a path beside a socket, which its listener has until it takes the socket's place: so there is no moment without one. */
export const pathBeside = (socket: string): string => `${socket}.${randomUUID().slice(0, 8)}`;

/** Listens beside a socket, where root and a group alone may connect. Resolves with the path. */
export async function listenBeside(server: Server, socket: string, gid: number): Promise<string> {
  const path = pathBeside(socket);
  await once(server.listen(path), 'listening');
  await chmod(path, 0o660);
  await chown(path, OWN_UID, gid);
  return path;
}
