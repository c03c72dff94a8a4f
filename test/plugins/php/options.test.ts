import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { boundsFor, DEFAULTS, optionsIn, poolFor } from '../../../plugins/php/options.ts';
import type { PhpConfig } from '../../../plugins/php/schema.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php, options');
const config = { max_upload_mib: 1024, max_seconds: 300 } as PhpConfig;

test('the memory of scripts is bound by the plan, and by what they need to begin', () => {
  const memory = (limit: number | undefined, chosen: number = DEFAULTS.memoryMib) => {
    const plan = { limits: limit === undefined ? {} : { php_memory_limit_mib: limit } };
    const bounds = boundsFor({ plan } as unknown as Account, config);
    return [bounds.memoryMib, optionsIn(poolFor({ ...DEFAULTS, memoryMib: chosen }, bounds)).memory_mib];
  };
  assert.equal(memory(64), [64, 64]);
  assert.equal(memory(256), [256, 128]);
  assert.equal(memory(256, 512), [256, 256]);
  assert.equal(memory(5), [16, 16]);
  assert.equal(
    [memory(0), memory(undefined)],
    [
      [8192, 128],
      [8192, 128],
    ],
  );
});
