/** The manual page of the package, which is made from the operator's manual. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escaped, troff } from '../../config/package/troff.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import * as assert from '../support/assert.ts';
import { assertNone } from '../support/lists.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('manual page');
const operating = readFileSync(join(projectDir, 'config/OPERATING.md'), 'utf8');

test('the manual page has each section and each block of code of the operator’s manual', () => {
  const page = troff(operating).split('\n');
  for (const [, title = ''] of operating.matchAll(/^## (.+)$/gm))
    assert.ok(page.includes(`.SH ${escaped(title.toUpperCase())}`), title);
  for (const [, title = ''] of operating.matchAll(/^### (.+)$/gm))
    assert.ok(page.includes(`.SS ${escaped(title)}`), title);
  const blocks = [...operating.matchAll(/^```\w+$/gm)].length;
  assert.is(page.filter((line) => line === '.nf').length, blocks);
  assert.is(page.filter((line) => line === '.fi').length, blocks);
  assert.equal(
    page.filter((line) => line.includes('```')),
    [],
  );
});

test('the lines of the operator’s manual fit into a terminal, but for tables', () => {
  assertNone(operating.split('\n'), (line) => line.length > 100 && !line.startsWith('|'));
});
