/** Roots of Debian 13 for the image and for tests: made once by debootstrap, and kept as archives in the cache. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kept } from './cache.ts';

const SUITE = 'trixie';
/** Returns the archive of a root with the packages. Its name holds what it was made for, so that another list makes another. */
export function debianRoot(name: string, packages: readonly string[]): string {
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  return kept(`debian-13-${name}-${digest}.tar`, (file) => {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-root-'));
    try {
      const include = `--include=${packages.join(',')}`;
      run('debootstrap', ['--variant=minbase', include, SUITE, folder, mirror()]);
      rmSync(join(folder, 'etc/machine-id'), { force: true });
      run('tar', ['-C', folder, '--exclude=./var/cache/apt/archives/*.deb', '--exclude=./dev/*', '-cf', file, '.']);
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
