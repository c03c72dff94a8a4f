import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OWNERS_ONLY = 0o700;
/** The group passes, and sees what is in it: the web server. */
const OWNERS_AND_GROUP = 0o750;
/** For folders above: accounts and the web server pass through them. */
const ABOVE = 0o755;

/**
 * Makes the files root of an account, owned by it and closed to other accounts, unless there is one. Its parents must be
 * safe, see `unsafeParentOf`. It is moved to its place when it is ready, so that a crash leaves nothing half made.
 */
export function makeRootSync(
  path: string,
  { uid, webGid }: { readonly uid: number; readonly webGid: number | null },
): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  mkdirSync(parent, { recursive: true, mode: ABOVE });
  const workshop = mkdtempSync(join(parent, '.hostkeep-'));
  const made = join(workshop, 'made');
  try {
    mkdirSync(made);
    chmodSync(made, webGid === null ? OWNERS_ONLY : OWNERS_AND_GROUP);
    chownSync(made, uid, webGid ?? uid);
    renameSync(made, path);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process was faster
  } finally {
    rmSync(workshop, { recursive: true });
  }
}
