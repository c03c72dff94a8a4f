import type { HttpError } from '../../errors.ts';
import type { Host } from '../plugin.ts';
import type { Account } from '../../identity/accounts/account.ts';

/** The service of the plugin `quota`. */
export interface StoredBytes {
  /** Resolves with the bytes that an account stores by what was measured last; `undefined` while nothing was. */
  storedBytes(account: Account): Promise<number | undefined>;
}

/**
 * Resolves with the bytes that the plan of an account leaves free by what was measured last; `undefined` without a limit, or
 * while nothing was measured: then the quota of the file system alone holds. The caller's plugin uses `quota`.
 */
export async function freeBytes(host: Pick<Host, 'peer'>, account: Account): Promise<number | undefined> {
  const limitMib = account.plan?.limits['disk_limit_mib'] ?? 0;
  if (limitMib === 0) return undefined;
  const storedBytes = await host.peer<StoredBytes>('quota')?.storedBytes(account);
  return storedBytes === undefined ? undefined : limitMib * 2 ** 20 - storedBytes;
}

/** Throws what `noSpace` returns unless so many bytes fit into what is free. */
export function assertRoom(
  sizeBytes: number,
  freeBytes: number | undefined,
  noSpace: (detail: string) => HttpError,
): void {
  if (freeBytes !== undefined && sizeBytes > freeBytes)
    throw noSpace(`the plan leaves room for ${Math.max(0, Math.floor(freeBytes))} bytes`);
}
