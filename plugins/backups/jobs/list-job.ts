import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { SnapshotPath } from '../../../kernel/kit/restic/snapshot.ts';
import { findEntries } from './snapshot-entries.ts';

interface ListInput extends SnapshotPath {
  readonly offset: number;
  readonly limit: number;
  readonly most: number;
}

/** Lists a folder of a snapshot. Errors: 404 `folder_not_found`, those of `findEntries`. */
export default async function list({ offset, limit, most, ...at }: ListInput, context: JobContext) {
  const { self, entries } = await findEntries(at, context, most);
  if (at.components.length > 0 && self?.kind !== 'folder') throw fail.folder_not_found('the backup has no such folder');
  const rank = (kind: string) => (kind === 'folder' ? 0 : 1);
  entries.sort((a, b) => rank(a.kind) - rank(b.kind) || (a.name < b.name ? -1 : 1));
  return { entries: entries.slice(offset, offset + limit), total: entries.length };
}
