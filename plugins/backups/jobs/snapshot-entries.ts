import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { lines } from '../../../kernel/kit/programs/output-lines.ts';
import { AGAIN, fail } from '../errors.ts';
import type { BackupEntry } from '../schema.ts';
import { parseLine, runRestic, type ResticSetup } from '../../../kernel/kit/restic/run-restic.ts';

/** A path in a snapshot: its components. */
export interface SnapshotPath {
  readonly setup: ResticSetup;
  readonly snapshot: string;
  readonly components: readonly string[];
}
export interface Found {
  /** The entry at the path itself; `undefined` for the root, and if there is nothing. */
  readonly self: BackupEntry | undefined;
  /** The entries in it. */
  readonly entries: BackupEntry[];
}

type Asking = Pick<JobContext, 'ask'>;
/** A line of what restic prints. */
export interface Node {
  readonly name: string;
  readonly path: string;
  readonly type?: unknown;
  readonly size?: unknown;
  readonly mode?: unknown;
  readonly mtime?: unknown;
}

const KINDS: Readonly<Record<string, BackupEntry['kind']>> = { file: 'file', dir: 'folder', symlink: 'link' };
/** Characters that no path of a client has; the last one stands for bytes that are not UTF-8. */
export const UNUSABLE = /[\u0000-\u001f\u007f\ufffd]/;

export const pathIn = (components: readonly string[]): string => `/${components.join('/')}`;

/** Reads what is at a path of a snapshot, and in it. Errors: 503 `overloaded` beyond `most` entries, those of `runRestic`. */
export async function findEntries(at: SnapshotPath, context: Asking, most: number): Promise<Found> {
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
export async function measure(at: SnapshotPath, context: Asking) {
  let [files, bytes] = [0, 0];
  await readNodes(at, context, ['--recursive'], ({ size }) => {
    files += 1;
    bytes += Number(size ?? 0);
  });
  return { isThere: files > 0 || at.components.length === 0, files, bytes };
}

/** Has restic print what is at a path. Without the snapshot it prints nothing, and does not fail. */
export async function readNodes(
  { setup, snapshot, components }: SnapshotPath,
  { ask }: Asking,
  options: readonly string[],
  onNode: (node: Node) => void,
): Promise<void> {
  let isThere = false;
  const take = (line: string) => {
    const node = parseLine(line);
    if (node?.['id'] === snapshot) isThere = true;
    if (typeof node?.['path'] === 'string' && typeof node['name'] === 'string') onNode(node as unknown as Node);
  };
  const args = ['ls', '--json', ...options, snapshot, pathIn(components)];
  await runRestic(setup, args, { ask }, { onOutput: (output) => lines(output, take) });
  if (!isThere) throw fail.backup_unreadable('the repository does not have the backup any more', AGAIN);
}

function toEntry({ name, type, size, mode, mtime }: Node): BackupEntry {
  return {
    name,
    kind: KINDS[String(type)] ?? 'other',
    size_bytes: Number(size ?? 0),
    mode: (Number(mode ?? 0) & 0o777).toString(8).padStart(4, '0'),
    modified_at: new Date(String(mtime)).toISOString(),
  };
}
