/** Reading and restoring snapshots of a repository, in jobs of its account. */
import type { Folder } from '../files/safe-folder.ts';
import type { JobContext } from '../jobs/job.ts';
import { lines } from '../programs/output-lines.ts';
import { AGAIN, resticFail } from './errors.ts';
import { parseLine, runRestic, type ResticSetup } from './run-restic.ts';

/** A path in a snapshot: its components. */
export interface SnapshotPath {
  readonly setup: ResticSetup;
  readonly snapshot: string;
  readonly components: readonly string[];
}
/** A line of what restic prints. */
export interface SnapshotNode {
  readonly name: string;
  readonly path: string;
  readonly type?: unknown;
  readonly size?: unknown;
  readonly mode?: unknown;
  readonly mtime?: unknown;
}

/** restic's patterns give these a meaning. */
const PATTERN = /[\\*?[\]]/g;
const REPORT_MS = 1000;
/** Its working directory for a program that makes each path absolute: the account may not enter the folders above. */
const HERE = '/proc/self/cwd';

/** Characters that no path of a client has; the last one stands for bytes that are not UTF-8. */
export const UNUSABLE = /[\u0000-\u001f\u007f\ufffd]/;

export const pathIn = (components: readonly string[]): string => `/${components.join('/')}`;

/** Has restic print what is at a path. Without the snapshot it prints nothing, and does not fail. */
export async function readNodes(
  { setup, snapshot, components }: SnapshotPath,
  { ask }: Pick<JobContext, 'ask'>,
  options: readonly string[],
  onNode: (node: SnapshotNode) => void,
): Promise<void> {
  let isThere = false;
  const take = (line: string) => {
    const node = parseLine(line);
    if (node?.['id'] === snapshot) isThere = true;
    if (typeof node?.['path'] === 'string' && typeof node['name'] === 'string') onNode(node as unknown as SnapshotNode);
  };
  const args = ['ls', '--json', ...options, snapshot, pathIn(components)];
  await runRestic(setup, args, { ask }, { onOutput: (output) => lines(output, take) });
  if (!isThere) throw resticFail.backup_unreadable('the repository does not have the backup any more', AGAIN);
}

/** Restores paths of a snapshot, all of it if none are given, into `restored` of a folder. Errors: those of `runRestic`. */
export async function restoreInto(
  folder: Folder,
  { setup, snapshot }: Pick<SnapshotPath, 'setup' | 'snapshot'>,
  paths: readonly (readonly string[])[],
  context: JobContext,
): Promise<void> {
  const included = paths.flatMap((path) => ['--include', pathIn(path).replaceAll(PATTERN, '\\$&')]);
  let timer: NodeJS.Timeout | undefined;
  try {
    await runRestic(setup, ['restore', snapshot, '--target', `${HERE}/restored`, ...included], context, {
      cwd: `/proc/self/fd/${folder.handle.fd}`,
      onStart: (server) => {
        timer = setInterval(() => context.report({ files: 0, bytes: server.readBytes, leftOut: 0 }), REPORT_MS);
      },
      onOutput: async (output) => void output.resume(),
    });
  } finally {
    clearInterval(timer);
  }
}
