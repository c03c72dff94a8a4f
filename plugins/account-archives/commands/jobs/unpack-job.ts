import { HttpError } from '../../../../kernel/errors.ts';
import { OWN_FOLDER } from '../../../../kernel/kit/files/client-path.ts';
import { Folder } from '../../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../../kernel/kit/jobs/job.ts';
import { lines } from '../../../../kernel/kit/programs/output-lines.ts';
import { writeAll } from '../../../../kernel/kit/waiting/byte-streams.ts';
import { fail } from '../../errors.ts';
import { EXTRACT, startTar } from './tar.ts';

interface Limits {
  /** Files and folders; 0 for any number. */
  readonly most: number;
  /** Their size; 0 for any. */
  readonly mostMib: number;
}

/** Size and name of an entry, with control characters escaped: folders, files, links and pipes are what customers have. */
const ENTRY = /^[-dhlp]\S* +\S+ +(\d+) +\d+-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? (.+)$/;
/** Names in which no entry may be: the root itself, our own folder, and what is outside. */
const NOT_OURS = new RegExp(`^(?:/|\\.{1,2}(?:/|$)|${OWN_FOLDER.replace('.', '\\.')}(?:/|$))`);
const SHOWN = 200;

/**
 * Unpacks the files of an account, for which it asks the caller piece by piece, into its empty files root. Resolves
 * with how many there are. Errors: 422 `account_archive_refused`, 503 `files_unavailable`.
 */
export default async function unpack(limits: Limits, { root, ask }: JobContext): Promise<number> {
  const folder = await Folder.openRoot(root);
  try {
    return await extract(folder, limits, ask);
  } finally {
    await folder.close();
  }
}

async function extract(folder: Folder, { most, mostMib }: Limits, ask: JobContext['ask']): Promise<number> {
  const tar = startTar(folder, EXTRACT, 0);
  if (tar.stdin === null || tar.stdout === null) throw new Error('tar has no pipes');
  let [entries, bytes] = [0, 0];
  let refusal: unknown;
  const stop = (error: unknown) => {
    refusal ??= error;
    tar.stop();
  };
  const take = (line: string) => {
    const [, size, name] = ENTRY.exec(line) ?? [];
    entries += 1;
    bytes += Number(size ?? 0);
    if (name === undefined || NOT_OURS.test(name))
      stop(fail.account_archive_refused(`it has an entry that no account can have: ${line.slice(0, SHOWN)}`));
    if (most > 0 && entries > most)
      stop(fail.account_archive_refused(`it has more than the ${most} files and folders that the plan allows`));
    if (mostMib > 0 && bytes > mostMib * 2 ** 20)
      stop(fail.account_archive_refused(`its files take more than the ${mostMib} MiB that the plan allows`));
  };
  async function* content() {
    for (;;) {
      const { answer, bytes } = await ask(null);
      if (answer === 'end') return;
      yield bytes;
    }
  }
  try {
    await Promise.all([writeAll(tar.stdin, content()).catch(stop), lines(tar.stdout, take)]);
    await tar.ended;
  } catch (error) {
    if (refusal !== undefined) throw refusal;
    if (!(error instanceof HttpError)) throw error;
    throw fail.account_archive_refused(`its files cannot be unpacked: ${error.message}`, { cause: error });
  } finally {
    tar.stop();
  }
  if (refusal !== undefined) throw refusal;
  return entries;
}
