import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { BackupEntry } from '../schema.ts';
import {
  pathIn,
  readNodes,
  UNUSABLE,
  type SnapshotNode,
  type SnapshotPath,
} from '../../../kernel/kit/restic/snapshot.ts';

export interface Found {
  /** The entry at the path itself; `undefined` for the root, and if there is nothing. */
  readonly self: BackupEntry | undefined;
  /** The entries in it. */
  readonly entries: BackupEntry[];
}

const KINDS: Readonly<Record<string, BackupEntry['kind']>> = { file: 'file', dir: 'folder', symlink: 'link' };
/** Reads what is at a path of a snapshot, and in it. Errors: 503 `overloaded` beyond `most` entries, those of `runRestic`. */
export async function findEntries(at: SnapshotPath, context: Pick<JobContext, 'ask'>, most: number): Promise<Found> {
  const path = pathIn(at.components);
  const entries: BackupEntry[] = [];
  let self: BackupEntry | undefined;
  let isTooMuch = false;
  await readNodes(at, context, [], (node) => {
    if (node.path === path) self = toEntry(node);
    else if (entries.length >= most) isTooMuch = true;
    else if (!UNUSABLE.test(node.name)) entries.push(toEntry(node));
  });
  if (isTooMuch) throw fail.overloaded(`a folder of more than ${most} entries is not listed`);
  return { self, entries };
}

/** Counts what is at a path of a snapshot with all that is in it. Errors: those of `runRestic`. */
export async function measure(at: SnapshotPath, context: Pick<JobContext, 'ask'>) {
  let [files, bytes] = [0, 0];
  await readNodes(at, context, ['--recursive'], ({ size }) => {
    files += 1;
    bytes += Number(size ?? 0);
  });
  return { isThere: files > 0 || at.components.length === 0, files, bytes };
}

function toEntry({ name, type, size, mode, mtime }: SnapshotNode): BackupEntry {
  return {
    name,
    kind: KINDS[String(type)] ?? 'other',
    size_bytes: Number(size ?? 0),
    mode: (Number(mode ?? 0) & 0o777).toString(8).padStart(4, '0'),
    modified_at: new Date(String(mtime)).toISOString(),
  };
}
