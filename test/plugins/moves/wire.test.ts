import * as assert from '../../support/assert.ts';
import { readJson } from '../../../kernel/kit/verb-arguments.ts';
import { readBringing } from '../../../plugins/moves/wire.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('messages of a move');
const SOUND = { exists: true, bytes: 1, inodes: 2, plugins: ['domains', 'database-moves'] };

// threat fleet-stranger: a node in foreign hands brings more than there is room for
test('what a node says that it brings is read as it should be, or refused', async () => {
  assert.equal(readBringing(SOUND), SOUND);
  for (const wrong of [
    { bytes: '1' },
    { bytes: -1 },
    { bytes: Number.NaN },
    { inodes: { valueOf: 0 } },
    { exists: 1 },
    { plugins: 'domains' },
    { plugins: ['../x'] },
    { more: 1 },
  ])
    assert.is(await codeOf(Promise.resolve().then(() => readBringing({ ...SOUND, ...wrong }))), 'invalid_request');
});

// threat fleet-stranger: a node in foreign hands says without end what it brings
test('what a node says is read to a bound, and is JSON', async () => {
  const said = (chunk: string, times = 1) =>
    readJson(
      (async function* () {
        for (let i = 0; i < times; i += 1) yield await Promise.resolve(Buffer.from(chunk));
      })(),
    );
  assert.is(await codeOf(said(' '.repeat(2 ** 20), Number.POSITIVE_INFINITY)), 'invalid_request');
  assert.is(await codeOf(said('{"exists":')), 'invalid_request');
  assert.equal(await said('[1,"ü"]'), [1, 'ü']);
});
