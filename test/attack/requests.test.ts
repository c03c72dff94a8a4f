/** A share of `npm run attack requests`, with one seed, so that it asks the same every time. */
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { requests } from './requests.ts';
import { throttled } from './throttled.ts';

const SEED = 20_261_121;
const test = testSuite('attack: requests');

test('every operation holds against requests made from its description', async () => {
  const lines = await requests.run(0.03, SEED);
  assert.match(lines[0] ?? '', /^\d{4,} requests: /);
});

test('the usual throttle holds against them too', async () => {
  const [line = ''] = await throttled.run(0.1, SEED);
  assert.match(line, /^\d{3,} requests, [1-9]\d* of them told to come back later$/);
});
