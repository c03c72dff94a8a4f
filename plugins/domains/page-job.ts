import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';

/** Resolves with the name of a document root's page, if it has one that is a file. */
export default async function findPage(components: readonly string[], { root }: JobContext): Promise<string | null> {
  const folder = await Folder.find(root, components);
  if (folder === undefined) return null;
  try {
    for await (const entry of folder.scan()) {
      const name = entry.name.toString();
      if (entry.isFile() && /^index\.html?$/.test(name)) return name;
    }
    return null;
  } finally {
    await folder.close();
  }
}
