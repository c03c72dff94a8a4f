/** A share of `npm run attack estate`. */
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';
import { ABUSES } from './abuses.ts';
import { estate } from './hostile-estate.ts';

const test = testSuite('attack: estate');

// attack hostile-estate: bombs, a million names, hard links, floods: others are answered, and nothing ends
// threat hostile-files: the neighbour of a hostile customer reads, searches and logs in as before
// threat crowding-out: floods of searches, logins, sessions and subdomains refuse the neighbour nothing
test('a hostile customer costs the neighbour and the administrator no answer', async () => {
  const figures = await estate.run(0.03, 0);
  assert.equal(figures.length, ABUSES.length);
  for (const figure of figures)
    assert.match(figure, /: the neighbour had [1-9]\d* reads, [1-9]\d* searches, .*none refused/);
});
