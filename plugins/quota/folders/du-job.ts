import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { measure, type Unit } from './du.ts';

interface DuInput {
  readonly components: readonly string[];
  readonly units: readonly Unit[];
  readonly command: string;
  readonly timeoutMs: number;
}
interface Measurement {
  /** In the order of the units; 0 for the root of an account that has no files yet. */
  readonly totals: readonly number[];
  /** Complaints of `du` about files that it could not measure. */
  readonly skipped: string;
}

/** Errors: 404 `folder_not_found`, 503. */
export default async function measureFolder(
  { components, units, command, timeoutMs }: DuInput,
  { root }: JobContext,
): Promise<Measurement> {
  const folder = await Folder.find(root, components);
  if (folder === undefined) return { totals: units.map(() => 0), skipped: '' };
  let skipped = '';
  const options = { command, timeoutMs, onSkipped: (text: string) => (skipped = text) };
  try {
    const totals: number[] = [];
    for (const unit of units) totals.push(await measure(folder, unit, options));
    return { totals, skipped };
  } finally {
    await folder.close();
  }
}
