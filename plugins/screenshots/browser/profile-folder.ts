import { chown, lstat, mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isRunning, PROCESS_ID } from '../../../kernel/system/process-id.ts';
import { runProgram } from '../../../kernel/system/run-program.ts';
import { isMissing } from '../../../kernel/system/files-root.ts';
import type { ProgramUser } from '../../../kernel/system/start-program.ts';

const PREFIX = 'hostkeep-browser-';
const REMOVE_MS = 30_000;

/** Creates a profile folder for one run of the browser, and removes those that dead processes left behind. */
export async function makeProfile(user: ProgramUser | undefined): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const [owner = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : [];
    if (owner !== '' && !isRunning(owner)) await removeProfile(join(tmpdir(), name));
  }
  const profile = await mkdtemp(join(tmpdir(), `${PREFIX}${PROCESS_ID}-`));
  if (user !== undefined) await chown(profile, user.uid, user.gid);
  return profile;
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
