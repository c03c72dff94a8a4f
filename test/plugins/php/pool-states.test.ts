import * as assert from '../../support/assert.ts';
import { toPool } from '../../../plugins/php/keeping/pool-list.ts';
import { PhpPools } from '../../../plugins/php/pools/php-pools.ts';
import type { PoolFigures } from '../../../plugins/php/pools/pool-meter.ts';
import type { Pool } from '../../../plugins/php/pools/pool.ts';
import type { PhpConfig } from '../../../plugins/php/schema.ts';
import type { PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Wanted } from '../../../plugins/php/keeping/wanted-pools.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php-pool-states');
const pool: Pool = {
  ...{
    version: '8.2',
    workers: 2,
    memoryMib: 64,
    uploadMib: 1,
    seconds: 5,
    showsErrors: false,
    timezone: 'UTC',
    ini: [],
  },
};
const wanted: Wanted = {
  account: { id: 7, username: 'ann' } as Wanted['account'],
  ...{ pool, domains: ['b.example', 'a.example'] },
};
const figures: PoolFigures = {
  ...{ accountId: 7, name: 'x', isAsleep: false, processes: 2, memoryBytes: 9, runningSeconds: 4, active: 1 },
  ...{ requests: 5, limitReached: 0 },
};

test('the state of a pool is that of its processes, unless its last start failed', () => {
  const state = (more: Partial<PoolFigures> | undefined, problem: string | null = null) => {
    const shown = toPool(wanted, 'x', more && { ...figures, ...more }, problem);
    return [shown.state, shown.active, shown.problem];
  };
  assert.equal(state(undefined), ['missing', 0, null]);
  assert.equal(state(undefined, 'why'), ['failed', 0, 'why']);
  assert.equal(state({ isAsleep: true, processes: 0, active: 0 }, 'why'), ['failed', 0, 'why']);
  assert.equal(state({ isAsleep: true, processes: 0, active: 0 }), ['asleep', 0, null]);
  assert.equal(state({}), ['running', 1, null]);
  assert.equal(state({ active: 2 }), ['busy', 2, null]);
  assert.equal(state({ active: null }), ['busy', 2, null], 'none is free to say so');
  assert.equal(
    state({ active: null, processes: 1 }),
    ['running', null, null],
    'it does not answer, and another may start',
  );
  assert.equal(toPool(wanted, 'x', figures, null).domains, ['a.example', 'b.example']);
});

test('why a pool did not start is told until its account ends', async () => {
  const end = new AbortController();
  const config = { run_folder: temporaryFolder(), disabled_functions: [], idle_seconds: 0 };
  const pools = new PhpPools({
    ...{ config, signal: end.signal, userOf: () => null },
  } as unknown as PrivilegedHost<PhpConfig>);
  const start = (id: number) => pools.start({ account: { id, username: 'ann' }, pool, rests: false });
  for (const id of [7, 8]) assert.is(await codeOf(start(id)), 'php_failed');
  const failed = async () =>
    (await pools.figures()).failures.map(({ accountId, problem }) => [accountId, /need user ids/.test(problem)]);
  assert.equal(new Map((await failed()) as [number, boolean][]), new Map([7, 8].map((id) => [id, true])));
  await pools.end(7);
  assert.equal(await failed(), [[8, true]]);
  assert.is(await pools.restart({ accountId: 8, name: '8.2-000000000000' }), false);
  for (const wrong of [{}, { accountId: -1, name: '8.2-000000000000' }, { accountId: 8, name: '../x' }])
    assert.is(await codeOf(pools.restart(wrong)), 'invalid_request');
  end.abort();
});
