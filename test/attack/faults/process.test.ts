/** A share of each fault that hits the process: kills, missing descriptors, clock steps. */
import * as assert from '../../support/assert.ts';
import { Random, testSeed } from '../../support/random.ts';
import { testSuite } from '../../support/suite.ts';
import { stepClock } from './clock-steps.ts';
import { exhaustDescriptors } from './exhausted-descriptors.ts';
import { killHelpers } from './killed-helpers.ts';
import { killDuringWrites, killFirstStarts } from './killed-nodes.ts';

const test = testSuite('attack: faults of the process');
const random = new Random(testSeed());

// threat half-made-changes: after kill -9 every acknowledged write is there, and no domain is half made
// attack kill-9: in each kind of write
test('a node killed during writes of every kind holds every acknowledged one', async () => {
  const { lines } = await killDuringWrites(3, random);
  assert.match(lines.join('\n'), /^kill -9: 3 times; acknowledged, none lost: [1-9]\d* \w[^\n]*$/);
});

// attack kill-9: in a first start
test('the start after a killed first start completes the data folder', async () => {
  const { lines } = await killFirstStarts(3, random);
  assert.equal(lines, ['first starts killed: 3; each data folder complete after the second']);
});

// attack lost-resources: a node out of descriptors recovers
test('a node without free descriptors stays up and recovers', async () => {
  const figures = /^out of descriptors: 60 connections, room for 20, [1-9]\d? answered, [1-9]\d? waited; recovered$/;
  assert.match(await exhaustDescriptors(), figures);
});

// attack lost-resources: only the requests that needed a killed thread or program fail
test('killed threads and child processes fail only the requests that needed them', async () => {
  const counts = /^killed helpers: [1-9]\d* threads and [1-9]\d* child processes in 3 rounds; /;
  const line = await killHelpers(3, random);
  assert.match(line, counts);
  assert.match(line, /; \d+ requests failed with them, every later request succeeded$/);
});

// attack clock-steps: steps of up to 400 days lock nobody out, and no token outlives its expiry
test('clock steps lock nobody out and let nobody in', async () => {
  assert.match(await stepClock(), /^clock: 8 steps of up to 400 days in both directions, 120 checks passed$/);
});
