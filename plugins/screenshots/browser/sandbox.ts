import { existsSync, readFileSync } from 'node:fs';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import type { ProgramUser } from '../../../kernel/kit/programs/start-program.ts';
import { makeProfile, removeProfile } from './profile-folder.ts';

/** The browser ends because its sandbox does not work on this system. */
export class NoSandbox extends Error {}

const NAMESPACES = ['--user', '--map-root-user', '--pid', '--net', '--fork', '--', 'true'];
const NAMESPACES_MS = 2000;
const BROWSER_MS = 10_000;
const STDERR_CHARACTERS = 1 << 16;
/** Settings of Linux distributions that refuse user namespaces, their permissive values, and how to set these. */
const SWITCHES = [
  ['/proc/sys/user/max_user_namespaces', (value: number) => value > 0, 'sysctl user.max_user_namespaces=15000'],
  [
    '/proc/sys/kernel/unprivileged_userns_clone',
    (value: number) => value === 1,
    'sysctl kernel.unprivileged_userns_clone=1',
  ],
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    (value: number) => value === 0,
    'an AppArmor profile that permits `userns` to the browser, or sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  ],
] as const;

/** Whether the browser's message says that it does not run without `--no-sandbox`. */
export function lacksSandbox(stderr: string): boolean {
  return /No usable sandbox|without --no-sandbox/.test(stderr);
}

/**
 * Whether the browser finds a sandbox. It uses user namespaces, because a set-uid sandbox does not work in a process that
 * may gain no privileges. Where other programs may not make them, the browser itself is tried, because it may have a
 * permission of its own.
 */
export async function hasSandbox(executable: string, user: ProgramUser | undefined): Promise<boolean> {
  const as = user === undefined ? {} : { user };
  // not installed: the browser itself is tried
  const made = await runProgram('unshare', NAMESPACES, { timeoutMs: NAMESPACES_MS, ...as }).catch(() => undefined);
  if (made?.code === 0) return true;
  const profile = await makeProfile(user);
  try {
    const { code, stderr } = await runProgram(
      executable,
      ['--headless=new', `--user-data-dir=${profile}`, '--dump-dom', 'about:blank'],
      { timeoutMs: BROWSER_MS, stderrCharacters: STDERR_CHARACTERS, env: { HOME: profile, TMPDIR: profile }, ...as },
    );
    return code === 0 && !lacksSandbox(stderr);
  } finally {
    await removeProfile(profile);
  }
}

/** Returns what to change on this system so that the browser finds a sandbox. */
export function sandboxRemedy(): string {
  const found = SWITCHES.find(([file, permits]) => existsSync(file) && !permits(Number(readFileSync(file, 'utf8'))));
  return `permit user namespaces: ${found?.[2] ?? 'see RestrictNamespaces= and SystemCallFilter= of the systemd unit'}`;
}
