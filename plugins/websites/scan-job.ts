import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { scanDocroot, type DocrootScan, type Stamps } from './detection/docroot-scan.ts';

interface DocrootRequest {
  readonly components: readonly string[];
  /** Paths below the docroot that are docroots of other domains. */
  readonly excluded: readonly string[];
  /** The stamps of the last scan. */
  readonly before: Stamps;
}

/** Returns a scan for each docroot, `null` where nothing changed. */
export default async function scan(
  docroots: readonly DocrootRequest[],
  { root }: JobContext,
): Promise<(DocrootScan | null)[]> {
  const scans: (DocrootScan | null)[] = [];
  for (const { components, excluded, before } of docroots)
    scans.push((await scanDocroot(root, components, new Set(excluded), before)) ?? null);
  return scans;
}
