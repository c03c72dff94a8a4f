import { spawnSync } from 'node:child_process';

/** What makes, enters and boots a root of Debian, and the package that it is in. */
const PROGRAMS = { debootstrap: 'debootstrap', 'systemd-nspawn': 'systemd-container', unshare: 'util-linux' };

/** Says why roots of Debian can be neither made nor entered here; `undefined` if they can. */
export function missingPrivilege(): string | undefined {
  for (const [program, name] of Object.entries(PROGRAMS))
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
      return `tests on Debian 13 need ${program}: apt-get install -y ${name}`;
  const { stderr } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return stderr === ''
    ? undefined
    : `tests on Debian 13 need root, which may have namespaces of its own: ${stderr.trim()}`;
}

/** Ends the process with one sentence if it could not make or enter a root of Debian. */
export function requirePrivileges(): void {
  const missing = missingPrivilege();
  if (missing === undefined) return;
  console.error(missing);
  process.exit(1);
}
