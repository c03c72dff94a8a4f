import * as assert from '../../support/assert.ts';
import { hideSecrets } from '../../../kernel/kit/secret-text.ts';
import {
  LOG_LINES,
  secretsIn,
  ServiceOutputs,
  shownLines,
} from '../../../plugins/services/programs/service-outputs.ts';
import { readRecipes } from '../../../plugins/services/recipes.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('outputs of services');

test('the last lines are kept for each account and service, and a start adds to them', () => {
  const outputs = new ServiceOutputs();
  outputs.begin(1, 'redis');
  outputs.add(1, 'redis', 'one\n');
  outputs.add(1, 'memcached', 'another service\n');
  outputs.add(11, 'redis', 'another account\n');
  outputs.begin(1, 'redis');
  assert.is(outputs.ofThisStart(1, 'redis', 100), '');
  outputs.add(1, 'redis', 'two\n');
  assert.equal(
    [outputs.all(1, 'redis'), outputs.ofThisStart(1, 'redis', 100), outputs.ofThisStart(1, 'redis', 2)],
    ['one\ntwo\n', 'two\n', 'o\n'],
  );
  outputs.forget(1, 'redis');
  assert.equal([outputs.all(1, 'redis'), outputs.all(1, 'memcached')], ['', 'another service\n']);
  outputs.forget(1);
  assert.equal([outputs.all(1, 'memcached'), outputs.all(11, 'redis')], ['', 'another account\n']);
});

// threat stolen-service: a program that prints without end takes no memory of the broker
test('what is printed without end is cut between lines', () => {
  const outputs = new ServiceOutputs();
  for (let i = 0; i < 20_000; i += 1) outputs.add(1, 'redis', `line ${i} ${'x'.repeat(40)}\n`);
  const kept = outputs.all(1, 'redis');
  assert.ok(kept.length <= 128 << 10 && /^line \d+ /.test(kept), String(kept.length));
  const lines = shownLines(kept, []);
  assert.equal([lines.length, lines.at(-1)?.slice(0, 10)], [LOG_LINES, 'line 19999']);
  for (let i = 0; i < 20; i += 1) outputs.add(1, 'redis', 'x'.repeat(10_000));
  assert.ok(outputs.all(1, 'redis').length <= 128 << 10);
  assert.equal(shownLines('x'.repeat(70_000), []), [], 'a line of which the beginning is gone');
  for (let account = 2; account < 400; account += 1) outputs.add(account, 'redis', `${'y'.repeat(99)}\n`.repeat(900));
  assert.equal([outputs.all(2, 'redis'), outputs.all(399, 'redis').length], ['', 90_000], 'of all together');
});

// threat stolen-service: no secret of a recipe, and none that a program prints, is shown
test('secrets are hidden, and what is no text', () => {
  assert.equal(shownLines('a\u001b[31mb\r\n\n  c\0\n', []), ['a [31mb', '  c']);
  const key = 'a1'.repeat(32);
  assert.equal(shownLines(`set bereq.http.X-Hostkeep-Cache = "${key}";`, [key]), [
    'set bereq.http.X-Hostkeep-Cache = "…";',
  ]);
  for (const [text, hidden] of [
    ['requirepass: hunter2 is set', 'requirepass: … is set'],
    ['PASSWORD="hunter 2" x', 'PASSWORD=… x'],
    ["{'token': 'abc'}", "{'token': …}"],
    ['redis://ann:hunter2@127.0.0.1/0', 'redis://ann:…@127.0.0.1/0'],
    ['api_key=abc', 'api_key=…'],
  ] as const)
    assert.is(hideSecrets(text, []), hidden);
  const [redis] = readRecipes().values();
  assert.ok(redis);
  if (redis === undefined) return;
  const image = { command: ['server', '--auth-token', 'abcd'], environment: { ADMIN_PASSWORD: 'efgh', HEAP: '1g' } };
  const run = { image: 'x', port: 1, storage: '', scratch: [], own_mib: 1, processes: 1, processors: 1, ...image };
  assert.equal(secretsIn({ ...redis, run }), ['efgh', 'abcd']);
});
