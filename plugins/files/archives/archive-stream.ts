import { streamed, type Stream } from '../../../kernel/contract/reply.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { attachment } from '../download.ts';
import { fail } from '../errors.ts';
import { STREAM } from '../jobs.ts';
import type { StreamInput } from './stream-job.ts';

const IDLE_MS = 120_000;
/** How long nothing may come from the programs, which look at large folders before they write. */
const PATIENCE_MS = 300_000;
/** So much of an archive, and so long, is waited for before it is answered: one that fails by then has a status that says so. */
const [HELD_BYTES, HELD_MS] = [1 << 20, 2000];

type Read = () => Promise<{ readonly bytes: Uint8Array; readonly output: boolean }>;
interface Beginning {
  readonly first: readonly Uint8Array[];
  /** Whether that is all of the archive. */
  readonly isWhole: boolean;
}

/**
 * Begins an archive that is made while it is sent. Its process is its own, because it holds the programs between two parts.
 * `onEnd` is called once when the stream was opened. Errors: 403 `permission_denied`, 404 `file_not_found`, `folder_not_found`, 503
 * `files_unavailable`.
 */
export async function archiveStream(
  jobs: AccountJobs,
  account: Account,
  archive: Omit<StreamInput & { step: 'begin' }, 'step'>,
  name: string,
  onEnd: () => void,
): Promise<Stream> {
  const pool = jobs.open({ name: 'archives', processes: 1, idleMs: IDLE_MS, isResident: true });
  const owner = jobs.ownerOf(account);
  const abort = new AbortController();
  const run = (input: StreamInput) => pool.run(STREAM, owner, input, { signal: abort.signal });
  const read = () => run({ step: 'read' });
  let begun: Beginning;
  try {
    await run({ step: 'begin', ...archive });
    begun = await beginning(read);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return streamed('application/octet-stream', parts(begun, read), {
    headers: attachment(name),
    onEnd: () => {
      abort.abort(new Error('the client takes no more'));
      void closed(pool, onEnd);
    },
  });
}

async function closed(pool: JobPool, onEnd: () => void): Promise<void> {
  try {
    await pool.close();
  } finally {
    onEnd();
  }
}

async function beginning(read: Read): Promise<Beginning> {
  const first: Uint8Array[] = [];
  const deadline = performance.now() + HELD_MS;
  for (let bytes = 0; bytes < HELD_BYTES && performance.now() < deadline;) {
    const part = await read();
    if (part.output) return { first, isWhole: true };
    first.push(part.bytes);
    bytes += part.bytes.length;
  }
  return { first, isWhole: false };
}

async function* parts({ first, isWhole }: Beginning, read: Read) {
  yield* first.filter(({ length }) => length > 0);
  if (isWhole) return;
  for (let heard = performance.now(); ;) {
    const { bytes, output: isLast } = await read();
    if (isLast) return;
    if (bytes.length > 0) {
      heard = performance.now();
      yield bytes;
    } else if (performance.now() - heard > PATIENCE_MS)
      throw fail.files_unavailable('nothing more comes of the archive');
  }
}
