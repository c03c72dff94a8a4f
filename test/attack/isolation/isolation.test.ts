/** A share of `npm run attack isolation`. */
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';
import { isolation } from './isolation.ts';

const test = testSuite('attack: isolation');

// threat shared-cache: no reply contains anything of another account, also during changes to features and accounts
// asvs 8.2.2, 8.4.1: on every route, naming another account's thing and a missing one give the same reply
test("no account reads, changes or infers another's data while features change", async () => {
  const lines = await isolation.run(0.03, 0);
  assert.match(lines[1] ?? '', /^\d{2,} pairs of requests /);
});
