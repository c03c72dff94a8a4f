import { rm } from 'node:fs/promises';
import { KINDS, type Segment, type SiteFolders } from './segments.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';

const DAY_MS = 86_400_000;
const MIB = 2 ** 20;
/** Parts of what a plan keeps, so that the oldest go little by little. */
const PARTS = 8;
const LARGEST_BYTES = 8 * MIB;

/** How much of a site's logs is kept; `Infinity` without a limit. */
export interface Kept {
  readonly bytes: number;
  readonly days: number;
}

export function keptBy(account: Account | undefined): Kept {
  const limits = account?.plan?.limits;
  return { bytes: (limits?.['logs_limit_mib'] || Infinity) * MIB, days: limits?.['logs_limit_days'] || Infinity };
}

/** Returns the size at which a file is ended. */
export const segmentBytes = ({ bytes }: Kept): number => Math.min(LARGEST_BYTES, bytes / PARTS);

/** Removes the oldest files of a site beyond what is kept; never one that grows. */
export async function trim(folders: SiteFolders, domainId: number, { bytes, days }: Kept): Promise<void> {
  const ended: Segment[] = [];
  let total = 0;
  for (const kind of KINDS) {
    const all = await folders.segments(domainId, kind);
    ended.push(...all.slice(0, -1));
    total += all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  const oldest = Date.now() - days * DAY_MS;
  for (const { path, sizeBytes, changedAt } of ended.toSorted((a, b) => a.changedAt - b.changedAt)) {
    if (total <= bytes && changedAt >= oldest) return;
    await rm(path, { force: true });
    total -= sizeBytes;
  }
}
