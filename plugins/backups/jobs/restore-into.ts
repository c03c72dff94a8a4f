import type { Counted } from '../../../kernel/contract/tasks/account-tasks.ts';
import type { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { runRestic } from '../../../kernel/kit/restic/run-restic.ts';
import { pathIn, type SnapshotPath } from './snapshot-entries.ts';

/** restic's patterns give these a meaning. */
const PATTERN = /[\\*?[\]]/g;
const REPORT_MS = 1000;
/** Its working directory for a program that makes each path absolute: the account may not enter the folders above. */
const HERE = '/proc/self/cwd';

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
        timer = setInterval(
          () => context.report({ files: 0, bytes: server.readBytes, leftOut: 0 } satisfies Counted),
          REPORT_MS,
        );
      },
      onOutput: async (output) => void output.resume(),
    });
  } finally {
    clearInterval(timer);
  }
}
