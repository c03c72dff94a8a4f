import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { DUMP_FILE } from '../store.ts';
import { runRestic, type ResticSetup } from '../../../kernel/kit/restic/run-restic.ts';

/** Adds a snapshot of a dump, for which it asks the service piece by piece. Errors: those of the service and of `runRestic`. */
export default async function backUpDatabase(setup: ResticSetup, { ask }: JobContext): Promise<null> {
  async function* dump() {
    for (;;) {
      const { answer, bytes } = await ask({ dump: true });
      if (answer === 'end') return;
      yield bytes;
    }
  }
  const args = ['backup', '--quiet', '--host', 'hostkeep', '--stdin', '--stdin-filename', DUMP_FILE];
  const onOutput = async (output: NodeJS.ReadableStream) => void output.resume();
  await runRestic(setup, args, { ask }, { input: dump(), failure: 'backup_failed', onOutput });
  return null;
}
