import * as assert from 'uvu/assert';
import { LogThrottle } from '../../kernel/log.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('log');

test('what recurs at every poll is due once in a while, each key for itself', () => {
  const throttle = new LogThrottle();
  assert.ok(throttle.isDue('containers.stats'));
  assert.not(throttle.isDue('containers.stats'));
  assert.ok(throttle.isDue('databases.sizes'), 'another key');
  assert.not(throttle.isDue('containers.stats'));
});
