import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('programs of MariaDB');
const run = promisify(execFile);
const MODULE = join(import.meta.dirname, '../../kernel/kit/databases/mariadb-programs.js');

test('a program that cannot be started now is not called missing', async () => {
  const script = `
    const { closeSync, openSync } = await import('node:fs');
    const { findMariaDb } = await import(${JSON.stringify(MODULE)});
    const open = [];
    try {
      for (;;) open.push(openSync('/dev/null'));
    } catch {}
    const { message } = await findMariaDb('dump').catch((error) => error);
    for (const file of open) closeSync(file);
    console.log(message);`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await run('prlimit', ['--nofile=64', '--', ...node]);
  assert.match(stdout, /^mariadb-dump --version: .*EMFILE/);
});
