import { chown, lstat, mkdtemp, opendir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../../kernel/log.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { isRunning, PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import type { ProgramUser } from '../../../kernel/kit/programs/start-program.ts';

const PREFIX = 'hostkeep-browser-';
const REMOVE_MS = 30_000;

/** Creates a profile folder for one run of the browser, which nobody but its user can open. */
export async function makeProfile(user: ProgramUser | undefined): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), `${PREFIX}${PROCESS_ID}-`));
  if (user !== undefined) await chown(profile, user.uid, user.gid);
  return profile;
}

/**
 * Removes the profile folders that dead processes left in the temporary folder, until `signal` is aborted. Everybody may
 * leave anything there: what belongs to other users stays, and what cannot be removed is logged.
 */
export async function removeStaleProfiles(user: ProgramUser | undefined, log: Log, signal: AbortSignal): Promise<void> {
  const owners = [process.geteuid?.(), user?.uid];
  for await (const { name } of await opendir(tmpdir())) {
    if (signal.aborted) return;
    const [owner = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : [];
    if (owner === '' || isRunning(owner)) continue;
    const profile = join(tmpdir(), name);
    try {
      const found = await lstat(profile);
      if (found.isDirectory() && owners.includes(found.uid)) await removeProfile(profile);
    } catch (error) {
      if (!isMissing(error))
        log.warn({ err: error, profile }, 'a profile folder of an earlier browser could not be removed');
    }
  }
}

/**
 * Removes a profile folder. Its owner, who is another user where Hostkeep is root, could swap folders for links: `find`
 * descends by file descriptor, and runs as that owner. Tries again, because a process that is being killed may still write.
 */
export async function removeProfile(profile: string, tries = 5): Promise<void> {
  try {
    const { uid, gid } = await lstat(profile);
    const { code, stderr } = await runProgram('find', ['.', '-mindepth', '1', '-delete'], {
      cwd: profile,
      timeoutMs: REMOVE_MS,
      ...(uid === process.geteuid?.() ? {} : { user: { uid, gid } }),
    });
    if (code !== 0) throw new Error(stderr.trim());
    await rmdir(profile);
  } catch (error) {
    if (isMissing(error)) return;
    if (tries <= 1) throw error;
    await setTimeout(100);
    await removeProfile(profile, tries - 1);
  }
}
