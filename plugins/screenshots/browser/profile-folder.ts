import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isRunning, PROCESS_ID } from '../../../kernel/system/process-id.ts';
import type { BrowserUser } from './launch-command.ts';

const PREFIX = 'hostkeep-browser-';

/** Creates a profile folder for one run of the browser, and removes those that dead processes left behind. */
export async function makeProfile(user: BrowserUser | undefined): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const [owner = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : [];
    if (owner !== '' && !isRunning(owner)) await removeProfile(join(tmpdir(), name));
  }
  const profile = await mkdtemp(join(tmpdir(), `${PREFIX}${PROCESS_ID}-`));
  if (user !== undefined) await chown(profile, user.uid, user.gid);
  return profile;
}

/**
 * Removes a profile folder with the system's `rm`, which descends by file descriptor: another user owns the content and
 * could swap folders for links. Tries again, because a process that is being killed may still write.
 */
export async function removeProfile(profile: string, tries = 5): Promise<void> {
  try {
    await promisify(execFile)('/bin/rm', ['-rf', '--', profile]);
  } catch (error) {
    if (tries <= 1) throw error;
    await setTimeout(100);
    await removeProfile(profile, tries - 1);
  }
}
