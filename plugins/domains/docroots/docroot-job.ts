import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { fail } from '../errors.ts';

/** Creates a document root. Errors: 400 `invalid_docroot` if a component is a link or not a folder. */
export default async function createDocroot(components: readonly string[], { root }: JobContext): Promise<void> {
  try {
    await (await Folder.make(root, components)).close();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw fail.invalid_docroot('a component of the document root is a symbolic link or not a folder', {
      cause,
    });
  }
}
