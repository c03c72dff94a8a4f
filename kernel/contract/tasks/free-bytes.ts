import type { HttpError } from '../../errors.ts';
import type { Host } from '../plugin.ts';
import type { Account } from '../../identity/accounts/account.ts';

/**
 * Resolves with the bytes that the plan of an account leaves free by what was measured last; `undefined` without a limit, or
 * while nothing was measured: then the quota of the file system alone holds.
 */
export async function freeBytes({ gather }: Pick<Host, 'gather'>, account: Account): Promise<number | undefined> {
  const limitMib = account.plan?.limits['disk_limit_mib'] ?? 0;
  if (limitMib === 0) return undefined;
  const known = (await gather('accountsUsage', [account])).flatMap((part) => (part.ok ? [part.value] : []));
  const usage = known.flatMap((parts) => parts.get(account.id) ?? []);
  const usedKib = usage.find(({ resource }) => resource === 'disk_kib')?.used;
  return usedKib === undefined ? undefined : limitMib * 2 ** 20 - usedKib * 1024;
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
