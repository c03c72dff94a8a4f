/** A files root is made by a process with rights, in a folder that customers see: nobody gets hold of it meanwhile. */
import { fork, type ChildProcess } from 'node:child_process';
import { chmodSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from '../support/assert.ts';
import { makeRootSync } from '../../kernel/kit/jobs/make-root.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';
import type { Thefts } from '../support/root-thief.ts';
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
  const thief: ChildProcess = fork(THIEF, [parent], { uid: CUSTOMER, gid: CUSTOMER, execArgv: [] });
  let thefts: Thefts = { seen: 0, taken: 0 };
  thief.on('message', (message) => (thefts = message as Thefts));
  try {
    let made = 0;
    await until('the thief has seen many roots being made', () => {
      for (const last = made + 100; made < last; made += 1)
        makeRootSync(join(parent, `account-${made}`), { uid: CUSTOMER + 1 + made, webGid: null });
      return thefts.seen >= SEEN;
    });
    assert.is(thefts.taken, 0);
    for (let n = 0; n < made; n += 1) {
      const path = join(parent, `account-${n}`);
      assert.ok(lstatSync(path).isDirectory());
      const { uid, mode } = statSync(path);
      assert.equal([uid, mode & 0o777], [CUSTOMER + 1 + n, 0o700]);
    }
  } finally {
    thief.kill('SIGKILL');
  }
});
