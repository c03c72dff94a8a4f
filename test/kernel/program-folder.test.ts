import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
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

test('a program that is being started is not cleared, unlike one whose start broke off', async () => {
  const root = temporaryFolder();
  const programs = new ProgramFolder(root, /^(?:main|left)$/, new AbortController().signal);
  const file = await programs.write(1, 'main', 'settings', 0);
  const left = await programs.write(1, 'left', 'settings', 0);
  writeFileSync(join(root, '1', 'left.starting'), '1:0');
  assert.equal(await programs.running(), []);
  assert.is(existsSync(file), true);
  assert.is(existsSync(left), false);
  const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
  await programs.setMaster(1, 'main', child);
  assert.equal(await programs.running(), [{ accountId: 1, name: 'main' }]);
  assert.is(await programs.end(1), 1);
  assert.equal(await programs.running(), []);
});
