import type { HttpError } from '../../errors.ts';
import type { Host } from '../../contract/plugin.ts';
import type { Account } from '../../identity/accounts/account.ts';

/** Room that files take, or may take; a member that is not there is not known, or not bounded. */
export interface Room {
  readonly bytes?: number;
  /** Files and folders. */
  readonly names?: number;
}

/** The service of the plugin `quota`. */
export interface StoredFiles {
  /** Resolves with what an account that is about to store more has by what was measured last. */
  stored(account: Account): Promise<Room>;
}

/**
 * Resolves with what the plan of an account leaves free by what was measured last; what has no limit, or was not measured yet, is
 * not there: then the quota of the file system alone holds. The caller's plugin uses `quota`.
 */
export async function freeRoom(host: Pick<Host, 'peer'>, account: Account): Promise<Room> {
  const { disk_limit_mib: mib = 0, inodes_limit: inodes = 0 } = account.plan?.limits ?? {};
  if (mib === 0 && inodes === 0) return {};
  const { bytes, names } = (await host.peer<StoredFiles>('quota')?.stored(account)) ?? {};
  return {
    ...(mib > 0 && bytes !== undefined && { bytes: mib * 2 ** 20 - bytes }),
    ...(inodes > 0 && names !== undefined && { names: inodes - names }),
  };
}

/** Throws what `noSpace` returns unless what files take fits into what is free. */
export function assertRoom(taken: Room, free: Room, noSpace: (detail: string) => HttpError): void {
  const { bytes = Infinity, names = Infinity } = free;
  if ((taken.bytes ?? 0) > bytes) throw noSpace(`the plan leaves room for ${Math.max(0, Math.floor(bytes))} bytes`);
  if ((taken.names ?? 0) > names) throw noSpace(`the plan leaves room for ${Math.max(0, names)} files and folders`);
}
