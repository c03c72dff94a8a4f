/** A share of `npm run attack requests throttled` with a fixed seed, so that every run sends the same requests. */
import * as assert from 'uvu/assert';
import { testSuite } from '../../support/suite.ts';
import { requests } from './requests.ts';
import { throttled } from './throttled.ts';

const SEED = 20_261_121;
const test = testSuite('attack: requests');

test('every operation answers generated requests as the API description says', async () => {
  const lines = await requests.run(0.03, SEED);
  assert.match(lines[0] ?? '', /^\d{4,} requests: /);
});

test('operations that verify passwords and codes hold with the default throttle', async () => {
  const [line = ''] = await throttled.run(0.1, SEED);
  assert.match(line, /^\d{3,} requests, [1-9]\d* of them refused with 429$/);
});
