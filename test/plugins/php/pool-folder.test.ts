import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { PoolFolder } from '../../../plugins/php/pools/pool-folder.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('folder of pools');

test('a master of which nothing can be read is not taken for one that does not run', async () => {
  const root = temporaryFolder();
  const pools = new PoolFolder(root);
  assert.is(await pools.master(1, 'main'), undefined);
  mkdirSync(join(root, '1', 'main.master'), { recursive: true });
  assert.is(await codeOf(pools.master(1, 'main')), 'EISDIR');
});
