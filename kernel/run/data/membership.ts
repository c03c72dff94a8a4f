import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Membership } from '../../contract/node-info.ts';
import { replaceFileSync } from '../../kit/files/atomic-file.ts';
import { assertPrivate, assertPrivateFolder } from '../../kit/files/private-file.ts';

/** How far the clocks of two nodes may be apart. */
const CLOCKS_APART_MS = 60_000;

/** Returns by how much times that other nodes wrote may be ahead of this node's clock; 0 for a node by itself. */
export const clockSlackMs = (membership: Membership | undefined): number =>
  membership === undefined ? 0 : CLOCKS_APART_MS;

/** The folder of what belongs to the fleet, in the data folder; only this user may pass through it. */
export const fleetFolder = (dataDir: string): string => join(dataDir, 'fleet');

/** The sockets at which one process of the node, by its number, answers what another node admitted. */
export const innerSockets = (dataDir: string, worker: number): Readonly<Record<'user' | 'admin', string>> => ({
  user: join(fleetFolder(dataDir), `user-${worker}.sock`),
  admin: join(fleetFolder(dataDir), `admin-${worker}.sock`),
});

/** The file that makes a node a member of a fleet. */
export const membershipFile = (dataDir: string): string => join(fleetFolder(dataDir), 'membership.json');

/** Returns the membership; `undefined` for a node by itself. Throws if others could read it, or if it is damaged. */
export function readMembership(dataDir: string): Membership | undefined {
  const file = membershipFile(dataDir);
  assertPrivateFolder(fleetFolder(dataDir));
  assertPrivate(file);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { name, ca, certificate, key } = JSON.parse(text) as Membership;
    if ([name, ca, certificate, key].every((each) => typeof each === 'string' && each !== ''))
      return { name, ca, certificate, key };
  } catch {
    // the parser's message is dropped: it may quote parts of the key
  }
  throw new Error(`${file} is damaged: let the node leave the fleet, and join it again`);
}

/** Makes a node a member of a fleet, or gives it another certificate. A server reads it at its start, or when asked to. */
export function writeMembership(dataDir: string, membership: Membership): void {
  mkdirSync(fleetFolder(dataDir), { recursive: true, mode: 0o700 });
  assertPrivateFolder(fleetFolder(dataDir));
  replaceFileSync(membershipFile(dataDir), JSON.stringify(membership), { mode: 0o600, flush: true });
}

/** Makes a node one by itself again. */
export const removeMembership = (dataDir: string): void =>
  rmSync(fleetFolder(dataDir), { recursive: true, force: true });
