/** Roots of Debian 13 for the image and for tests: made once by debootstrap, and kept as archives in the cache. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kept } from './cache.ts';

const SUITE = 'trixie';
/** What the kernel fills, and what apt fetches anew. */
const LEFT_OUT = ['./dev', './var/cache/apt', './var/lib/apt/lists'];
/** Installs packages in the root `$0`, where nothing starts; debootstrap's own way of doing so cannot order many. */
const INSTALL = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
  DEBIAN_FRONTEND=noninteractive chroot "$0" apt-get install -y -qq --no-install-recommends "$@"`;

/**
 * Returns the archive of a root with the packages. Its name holds what it was made for and a digest of this recipe, so that
 * another list or another recipe makes another.
 */
export function debianRoot(name: string, packages: readonly string[]): string {
  const digest = createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .update(packages.join())
    .digest('hex');
  return kept(`debian-13-${name}-${digest.slice(0, 8)}.tar`, (file) => {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-root-'));
    try {
      run('debootstrap', ['--variant=minbase', '--include=ca-certificates', SUITE, folder, mirror()]);
      chmodSync(folder, 0o755); // it is everybody's root
      writeFileSync(join(folder, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
      copyIfThere('/etc/resolv.conf', join(folder, 'etc/resolv.conf'));
      run('unshare', ['--mount', '--', 'sh', '-c', INSTALL, folder, ...packages]);
      rmSync(join(folder, 'usr/sbin/policy-rc.d'));
      rmSync(join(folder, 'etc/machine-id'), { force: true });
      run('tar', ['-C', folder, ...LEFT_OUT.map((path) => `--exclude=${path}/*`), '-cf', file, '.']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** Returns the mirror that this machine gets Debian from. */
function mirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...readdirSync(folder).map((name) => join(folder, name))];
  const texts = files.map((file) => readOr(file)).join('\n');
  const found = /^(?:URIs:|deb(?: \[[^\]]*\])?) (\S+\/debian)\/?(?:\s|$)/m.exec(texts)?.[1];
  if (found === undefined) throw new Error('the sources of apt name no mirror of Debian');
  return found;
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) writeFileSync(to, readFileSync(from));
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function run(program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} failed: ${(stdout + stderr).slice(-2000)}`, { cause: error });
  }
}
