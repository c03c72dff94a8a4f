import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
