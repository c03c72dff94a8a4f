import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { createLog } from '../../../../kernel/log.ts';
import { PhpPools } from '../../../../plugins/php/pools/php-pools.ts';
import type { PhpConfig } from '../../../../plugins/php/schema.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
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
    const proofs = Array.from({ length: 3 }, () => pools.prove(version));
    const seen: unknown[] = [];
    const ending = setInterval(() => {
      void pools.running().then((running) => seen.push(...running));
      void pools.end(0);
    }, 5);
    assert.is((await Promise.all(proofs)).length, 3);
    clearInterval(ending);
    assert.equal(seen, []);
    assert.equal(readdirSync(run), []);
    closing.abort();
  });
