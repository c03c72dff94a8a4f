/** A files root is made by a process with rights, in a folder that customers see: nobody gets hold of it meanwhile. */
import { spawn } from 'node:child_process';
import { chmodSync, constants, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from '../support/assert.ts';
import { makeRootSync } from '../../kernel/kit/jobs/make-root.ts';
import { endsWithTests } from '../support/child.ts';
import { atEnd } from '../support/ending.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('make-root');
const THIEF = fileURLToPath(new URL('../support/root-thief.js', import.meta.url));
const CUSTOMER = 70_001;
/** How often the thief has to see a root that is being made. */
const SEEN = 20;

// threat swapped-root: a customer who waits for a root that is being made can neither move it nor put something in its place
test('a customer gets hold of no files root while it is made', async () => {
  const parent = temporaryFolder();
  chmodSync(parent, 0o755);
  const thief = endsWithTests(spawn(process.execPath, [THIEF, parent], { uid: CUSTOMER, gid: CUSTOMER }));
  atEnd(() => thief.kill('SIGKILL'));
  let told = '';
  for (const output of [thief.stdout, thief.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (told += text));
  let made = 0;
  await until('the thief has seen many roots being made', () => {
    for (const last = made + 100; made < last; made += 1) {
      const path = join(parent, `account-${made}`);
      makeRootSync(path, { uid: CUSTOMER + 1 + made, webGid: null });
      const { uid, mode } = lstatSync(path);
      assert.equal([uid, mode], [CUSTOMER + 1 + made, constants.S_IFDIR | 0o700]);
      rmSync(path, { recursive: true }); // to read thousands of names would keep the thief busy
    }
    return told.split('\n').length > SEEN;
  });
  assert.match(told, /^(?:seen\n)+$/);
});
