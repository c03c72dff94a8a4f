import type { Counted } from '../../../kernel/areas/tasks/account-tasks.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { keptAt } from '../../../kernel/kit/files/kept-items/kept-items.ts';
import { trashAt } from './trash-job.ts';

interface EmptyInput {
  /** `null` for all that were removed until then. */
  readonly ids: readonly string[] | null;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const REPORT_MS = 250;

/** Removes items of the trash for good, and counts the files and folders that are gone. */
export default async function empty({ ids, until }: EmptyInput, { root, report }: JobContext): Promise<Counted> {
  const items = trashAt(root);
  const counted = { files: 0, bytes: 0, leftOut: 0 };
  let reportedAt = -Infinity;
  await items.remove(ids ?? items.ids().filter((id) => keptAt(id) <= until), () => {
    counted.files += 1;
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    report(counted);
  });
  return counted;
}
