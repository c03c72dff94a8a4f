import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ProgramFolder } from '../../kernel/kit/programs/program-folder.ts';
import { codeOf } from '../support/code-of.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('program-folder');

test('a master of which nothing can be read is not taken for one that does not run', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^main$/, new AbortController().signal);
  assert.is(await programs.master(1, 'main'), undefined);
  mkdirSync(join(root, '1', 'main.master'), { recursive: true });
  assert.is(await codeOf(programs.master(1, 'main')), 'EISDIR');
});
