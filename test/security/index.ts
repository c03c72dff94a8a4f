/**
 * `npm run security`: prints the coverage tables as Markdown; with `-- --write` it writes them to
 * `test/security/coverage.md` instead. Fails if a test or a requirement is not covered as it says.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { coverageProblems, coverageText } from './coverage.ts';
import { readTaggedTests } from './tagged-tests.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const { tags, problems } = readTaggedTests(join(projectDir, 'test'));
const all = [...problems, ...coverageProblems(tags)];
if (all.length > 0) {
  console.error(all.join('\n'));
  process.exitCode = 1;
} else if (values.write) writeFileSync(join(projectDir, 'test/security/coverage.md'), coverageText(tags));
else process.stdout.write(coverageText(tags));
