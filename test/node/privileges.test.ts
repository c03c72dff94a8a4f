import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('node: privileges');

test('without them, the tests on Debian 13 end with one sentence instead of passing', () => {
  for (const script of ['node-root.js', 'suite.js']) {
    const args = ['--inh-caps=-all', '--bounding-set=-all', process.execPath, join(import.meta.dirname, script)];
    const { status, stderr } = spawnSync('setpriv', args, { encoding: 'utf8' });
    assert.is(status, 1, script);
    assert.match(stderr, /^tests on Debian 13 need root, [^\n]+ Operation not permitted\n$/, script);
  }
});

test('a program that is missing is named, with its package', () => {
  const args = [join(import.meta.dirname, 'node-root.js')];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: '/nonexistent' } });
  assert.is(status, 1);
  assert.is(stderr, 'tests on Debian 13 need debootstrap: apt-get install -y debootstrap\n');
});
