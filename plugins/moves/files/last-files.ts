import { setTimeout as delay } from 'node:timers/promises';
import { IN_FORCE_MS } from '../../../kernel/contract/points/move-part.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { MovedFiles } from './moved-files.ts';
import type { Target } from '../target.ts';
import { fail } from '../errors.ts';

/** Times of files come from a clock that ticks every few milliseconds. */
const CLOCK_MS = 100;
/** How often the last differences are taken, where something writes files past this program. */
const ATTEMPTS = 5;

interface LastFiles {
  readonly files: MovedFiles;
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly hasFiles: boolean;
  /** When changes began to be refused, in milliseconds of the monotonic clock. */
  readonly closedMs: number;
}

/**
 * Brings the last differences. Resolves with when the comparison began after which nothing had changed, in milliseconds since
 * 1970; 0 where there are no files. Errors: 409 `move_refused`, and those of the other node.
 */
export async function takeLast({ files, target, signal, hasFiles, closedMs }: LastFiles): Promise<number> {
  for (let [attempt, isUnlike] = [1, false]; ; attempt += 1) {
    const comparedAt = Date.now() - CLOCK_MS;
    if (isUnlike) await target.send(files.packed(true));
    else if (hasFiles) await sendChanges(files, target);
    await delay(Math.max(0, closedMs + IN_FORCE_MS - performance.now()), undefined, { signal });
    if (!hasFiles) {
      if (!(await files.measure()).exists) return 0;
      throw fail.move_refused('the account had no files, and has some now: move it again');
    }
    const changed = await files.changedSince(comparedAt);
    if (changed.length === 0) {
      const [here, there] = await Promise.all([files.digest(), target.digest()]);
      if (here === there) return comparedAt;
      isUnlike = true;
    }
    if (attempt < ATTEMPTS) continue;
    if (changed.length === 0)
      throw fail.move_refused(`the files at the two nodes differ: ${files.complaint || 'tar says not why'}`);
    throw fail.move_refused(`files change, past this program: ${changed.join(', ')}; stop what writes them`);
  }
}

/**
 * Sends what has changed; everything, if `tar` cannot apply that: it takes a new folder that has the number of a deleted one
 * for that one renamed, and may find something in the way. An archive of everything knows of no folders before it.
 */
export async function sendChanges(files: MovedFiles, target: Target): Promise<void> {
  try {
    await target.send(files.packed(false));
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== 'files_unavailable') throw error;
    await target.send(files.packed(true));
  }
}
