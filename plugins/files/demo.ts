import { randomBytes } from 'node:crypto';
import { Folder } from '../../kernel/files.ts';
import type { DemoContext } from '../../kernel/points.ts';

/** Folders and the KiB of a file in each. */
const FOLDERS = [['backups', 'weekly', 340], ['backups', 'daily', 120], ['shared', 'photos', 1800], ['shared', 'documents', 75]] as const;

/** A few folders with files of some size, so that there is something to list and to measure. */
export async function fillDemo({ demo }: DemoContext): Promise<void> {
  for (const [parent, name, sizeKib] of FOLDERS) {
    const folder = await Folder.make(demo.filesRoot, [parent, name]);
    try {
      const file = await folder.newFile(`${name}.bin`);
      await file.writeFile(randomBytes(sizeKib * 1024)).finally(() => file.close());
    } finally {
      await folder.close();
    }
  }
}
