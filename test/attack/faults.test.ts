/** @slow is a part of the attack */
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { stepClock } from './fault-clock.ts';
import { killFirstStarts, killInWrites } from './fault-kills.ts';
import { killHelpers, withoutDescriptors } from './fault-limits.ts';

const test = testSuite('attack: faults');

/** A small share of each part of `faults`, by its own name, and the figures that it must come to; `npm run attack` makes all of it. */
const FAULTS: Readonly<Record<string, readonly [run: () => Promise<string>, figures: RegExp]>> = {
  'killed in the middle of every kind of write, a node holds what it acknowledged': [
    async () => (await killInWrites(3)).lines.join('\n'),
    /^kill -9: 3 times; acknowledged and not lost: [1-9]\d* \w[^\n]*$/,
  ],
  'a first start that is killed is made good by the second': [
    async () => (await killFirstStarts(3)).lines.join('\n'),
    /^first starts killed: 3, each whole at the second$/,
  ],
  'out of descriptors, a node lives, and serves again when there are some': [
    withoutDescriptors,
    /^out of descriptors: 60 connections with room for 20, [1-9]\d? answered, [1-9]\d? waited; served again when there were some$/,
  ],
  'helpers that are killed take their own requests with them, and no later one': [
    () => killHelpers(3),
    /^killed helpers: [1-9]\d* threads and \d+ child processes in 3 rounds; \d+ requests failed with them, every one after that was answered$/,
  ],
  'a clock that steps in either direction locks nobody out and lets nobody in': [
    stepClock,
    /^clock: 8 steps of up to 400 days in both directions, 112 checks of /,
  ],
};

for (const [name, [run, figures]] of Object.entries(FAULTS)) test(name, async () => assert.match(await run(), figures));
