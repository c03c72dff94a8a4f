import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createLog } from '../../../../kernel/log.ts';
import { PhpPools } from '../../../../plugins/php/pools/php-pools.ts';
import type { PhpConfig } from '../../../../plugins/php/schema.ts';
import { installedVersions } from '../../../../plugins/php/versions.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testSuite } from '../../../support/suite.ts';
import { hasPhp } from '../php.ts';

const test = testSuite('proof of php');

if (hasPhp())
  test('a proof is ended by no other one, nor by what ends pools that no account needs', async () => {
    const [version = ''] = await installedVersions();
    const run = join(temporaryFolder(), 'php');
    const closing = new AbortController();
    const pools = new PhpPools({
      config: { run_folder: run, disabled_functions: [] } as unknown as PhpConfig,
      log: createLog('silent'),
      rootOf: () => {
        throw new Error('a proof is of no account');
      },
      userOf: () => null,
      signal: closing.signal,
    });
    let isOver = false;
    const proofs = Promise.all(Array.from({ length: 3 }, () => pools.prove(version))).finally(() => (isOver = true));
    const seen: unknown[] = [];
    while (!isOver) {
      seen.push(...(await pools.running()));
      await pools.end(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.is((await proofs).length, 3);
    assert.equal(seen, []);
    assert.equal(readdirSync(run), []);
    closing.abort();
  });
