import * as assert from '../support/assert.ts';
import { LargeCounts } from '../../kernel/kit/waiting/large-counts.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('large counts');

test('small values are counted each time, large ones are remembered', async () => {
  const counts = new LargeCounts();
  const answers = [1, 9999, 10_000, 10_001];
  const next = async () => answers.shift() ?? 0;
  assert.equal([await counts.of('a', next), await counts.of('a', next), await counts.of('a', next)], [1, 9999, 10_000]);
  assert.equal([await counts.of('a', next), answers.length], [10_000, 1]);
  assert.is(await counts.of('b', next), 10_001);
  const sums = { basic: 9000, developer: 1000 };
  assert.is(await counts.of('c', async () => sums), sums);
  assert.is(await counts.of('c', async () => ({})), sums);
});

test('a count that fails is not remembered', async () => {
  const counts = new LargeCounts();
  const failed = await counts.of('a', () => Promise.reject(new Error('gone'))).catch((error: unknown) => error);
  assert.instance(failed, Error);
  assert.is(await counts.of('a', async () => 3), 3);
});
