/** A share of `npm run attack requests throttled` with a fixed seed, so that every run sends the same requests. */
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';
import { requests } from './requests.ts';
import { throttled } from './throttled.ts';

const SEED = 20_261_121;
const test = testSuite('attack: requests');

// attack generated-requests: valid and invalid requests for every operation get described replies, no 500, and leak no
//   descriptors
// asvs 2.2.1, 2.2.2: on every route, missing members, duplicate query parameters and other media types are refused
// asvs 15.3.1: every reply of every route matches its described schema, and contains no internals of the server
// asvs 4.1.2: no reply of the run is a redirect
test('every operation answers generated requests as the API description says', async () => {
  const lines = await requests.run(0.03, SEED);
  assert.match(lines[0] ?? '', /^\d{4,} requests: /);
  assert.match(lines[1] ?? '', /^200: \d+, /);
  const redirecting = lines.filter((line) => /^(?:user|admin) .* 30[0-378]×/.test(line));
  assert.equal(redirecting, []);
});

// attack generated-requests: the default throttle limits operations that verify passwords and codes
test('operations that verify passwords and codes hold with the default throttle', async () => {
  const [line = ''] = await throttled.run(0.1, SEED);
  assert.match(line, /^\d{3,} requests, [1-9]\d* of them refused with 429$/);
});
