import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { stepClock } from './fault-clock.ts';
import { killFirstStarts, killInWrites } from './fault-kills.ts';
import { killHelpers, withoutDescriptors } from './fault-limits.ts';

const test = testSuite('attack: faults');

/** A small share of each part of `faults`, by its own name; `npm run attack` makes all of it. */
const FAULTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'killed in the middle of every kind of write, a node holds what it acknowledged': () => killInWrites(3),
  'a first start that is killed is made good by the second': () => killFirstStarts(3),
  'out of descriptors, a node lives, and serves again when there are some': () => withoutDescriptors(),
  'helpers that are killed take their own requests with them, and no later one': () => killHelpers(3),
  'a clock that steps in either direction locks nobody out and lets nobody in': () => stepClock(),
};

for (const [name, run] of Object.entries(FAULTS)) test(name, async () => assert.ok(await run()));
