import type { Counted } from '../../../kernel/areas/tasks/account-tasks.ts';
import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { lines } from '../../../kernel/kit/programs/output-lines.ts';
import { fail } from '../errors.ts';
import { parseLine, runRestic, type ResticSetup } from '../../../kernel/kit/restic/run-restic.ts';

interface BackupInput {
  readonly setup: ResticSetup;
  /** The snapshot that most of it is the same as; `null` for none. */
  readonly parent: string | null;
}

/** restic made the snapshot, and could not read all files. */
const INCOMPLETE = 3;

/** Adds a snapshot of all files to the repository. Errors: 422 `nothing_to_back_up`, those of `runRestic`. */
export default async function backup({ setup, parent }: BackupInput, { root, ask, report }: JobContext) {
  const counted = { files: 0, bytes: 0, leftOut: 0 };
  const folder = await Folder.openRoot(root).catch((error: unknown) => {
    if (isMissing(error)) throw fail.nothing_to_back_up('the account has no files');
    throw error;
  });
  try {
    const names: Buffer[] = [];
    for await (const { name } of folder.scan()) if (name.toString() !== OWN_FOLDER) names.push(name, Buffer.from([0]));
    if (names.length === 0) throw fail.nothing_to_back_up('the account has no files');
    const like = parent === null ? ['--force'] : ['--parent', parent];
    const args = ['backup', '--json', '--host', 'hostkeep', '--files-from-raw', '-', ...like];
    await runRestic(
      setup,
      args,
      { ask },
      {
        cwd: `/proc/self/fd/${folder.handle.fd}`,
        input: [Buffer.concat(names)],
        codes: [0, INCOMPLETE],
        failure: 'backup_failed',
        onOutput: (output) =>
          lines(output, (line) => {
            take(counted, line);
            report(counted);
          }),
        onComplaint: (line) => {
          const told = parseLine(line);
          // its scan, for the sake of progress, names paths as others see them, which the account may not enter
          if (told?.['message_type'] === 'error' && told['during'] !== 'scan') counted.leftOut += 1;
        },
      },
    );
    return counted;
  } finally {
    await folder.close();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function take(counted: Writable<Counted>, line: string): void {
  const told = parseLine(line);
  const isSummary = told?.['message_type'] === 'summary';
  if (!isSummary && told?.['message_type'] !== 'status') return;
  const { files_done, bytes_done, total_files_processed, total_bytes_processed } = told;
  counted.files = Number((isSummary ? total_files_processed : files_done) ?? 0);
  counted.bytes = Number((isSummary ? total_bytes_processed : bytes_done) ?? 0);
}
