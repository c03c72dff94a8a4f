import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a file with a text that a program may read from the descriptor, and that has no name any more. */
export function openNameless(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-nameless-'));
  try {
    const file = join(folder, 'text');
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return openSync(file, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
