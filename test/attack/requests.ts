import { WHOLE_REQUESTS, type Part } from './part.ts';
import { Ledger } from './ledger.ts';
import { Siege } from './siege.ts';
import { OPEN_THROTTLE, type Vitals } from './target.ts';

/** Stretches of the attack, and turns of acknowledged writes that are made beside each, of the whole and of a share. */
const STRETCHES = 20;
const FIFTH = STRETCHES / 5;
const TURNS = 25;
const FEW_TURNS = 2;
const SETTLE_MS = 10_000;
const SAMPLE_MS = 250;
/**
 * What the lowest memory of the last fifth may be over that of the second fifth: a kilobyte for each request between them.
 * Accounts, domains and indexes that the attack makes, and caches that fill up to their bounds, take some of it; a body or
 * a reply that is kept takes more.
 */
const MORE_BYTES = 64 * 2 ** 20;
/** Connections and folders that are open in passing. */
const MORE_DESCRIPTORS = 8;
/** From these shares on, growth shows, and an operation that never succeeded is a blind spot. */
const LEAKING_SHARE = 0.2;
const SEEING_SHARE = 0.5;

/** Requests from the description, fitting and broken, for every operation. */
export const requests: Part = {
  title: 'requests from the description',
  async run(share, seed = 0) {
    const siege = await Siege.start(OPEN_THROTTLE);
    try {
      return await attack(siege, share, seed);
    } finally {
      await siege.target.stop();
    }
  },
};

async function attack(siege: Siege, share: number, seed: number): Promise<string[]> {
  const { target, census, keeper } = siege;
  const ledger = new Ledger();
  const started = performance.now();
  const isLong = share >= LEAKING_SHARE;
  const lowest: number[] = [];
  let before: Vitals = target.vitals;
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    if (isLong && stretch === FIFTH) before = await target.settledVitals(SETTLE_MS);
    const work = Promise.all([
      siege.run(Math.ceil((WHOLE_REQUESTS * share) / STRETCHES), seed + stretch * 1000),
      ledger.writeAll(target.clients.user, keeper.token, isLong ? TURNS : FEW_TURNS),
    ]);
    lowest.push(await target.lowestMemory(SAMPLE_MS, work));
  }
  const seconds = (performance.now() - started) / 1000;
  const after = await target.settledVitals(isLong ? SETTLE_MS : 0);
  const [early, late] = [Math.min(...lowest.slice(FIFTH, 2 * FIFTH)), Math.min(...lowest.slice(-FIFTH))];
  if (isLong) assertNoGrowth([early, late], [before.descriptors, after.descriptors], seed);
  if (share >= SEEING_SHARE && census.unseen.length > 0)
    throw new Error(
      `seed ${seed}: blind, as these never succeeded: ${census.unseen.join(', ')}\n${census.lines().join('\n')}`,
    );
  await target.crash();
  const lost = await ledger.differences(target.clients.user, keeper.token);
  if (lost.length > 0) throw new Error(`seed ${seed}: after kill -9: ${lost.join('; ')}`);
  return [
    ...census.lines(),
    `${seconds.toFixed(0)} s, ${(census.requests / seconds).toFixed(0)} requests a second`,
    `lowest memory in the second fifth of the requests ${mib(early)} MiB, in the last ${mib(late)} MiB; by the twentieth: ${lowest.map(mib).join(' ')}`,
    `descriptors when idle ${isLong ? 'after the first fifth' : 'at the start'} ${before.descriptors}, at the end ${after.descriptors}`,
    `${ledger.written} acknowledged writes, 0 lost after kill -9`,
  ];
}

function assertNoGrowth(
  [early, late]: readonly [number, number],
  [before, after]: readonly [number, number],
  seed: number,
): void {
  if (late > early + MORE_BYTES) throw new Error(`seed ${seed}: memory grew from ${mib(early)} to ${mib(late)} MiB`);
  if (after > before + MORE_DESCRIPTORS) throw new Error(`seed ${seed}: descriptors grew from ${before} to ${after}`);
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
