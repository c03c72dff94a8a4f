import { rm } from 'node:fs/promises';
import { replaceFile } from '../../../kernel/kit/files/atomic-file.ts';
import { entryPath, Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import { INFO_SCRIPT, OWN_FOLDER } from '../pools/pool-config.ts';
import type { PhpInfo } from '../schema.ts';
import { sectionsIn } from './sections.ts';

/** Has phpinfo() tell general facts (1), directives (4), modules (8); no environment and no variables. */
const SCRIPT = '<?php phpinfo(13);\n';

/** Lays out a script that the caller, who is asked for its answer, has a pool run, and reads what it says. */
export default async function readInfo(_: null, { root, ask }: JobContext): Promise<PhpInfo['sections']> {
  const folder = await Folder.make(root, [OWN_FOLDER]);
  const file = entryPath(folder.handle.fd, INFO_SCRIPT) as string;
  try {
    await replaceFile(file, SCRIPT, { mode: 0o600 });
    const answer = Buffer.from((await ask(null)).bytes).toString('utf8');
    const end = answer.indexOf('\r\n\r\n');
    const sections = /^Status: (?!200)/m.test(answer.slice(0, end)) ? [] : sectionsIn(answer.slice(end));
    if (sections.length > 0) return sections;
    throw fail.php_info_failed('phpinfo() says nothing: it may be among the functions that the operator disables');
  } finally {
    await rm(file, { force: true });
    await folder.close();
  }
}
