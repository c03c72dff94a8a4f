import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a temporary folder that is removed when the process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  folders.push(folder);
  return folder;
}
