import { WHOLE_REQUESTS, type Part } from './part.ts';
import { Ledger } from './ledger.ts';
import { Siege } from './siege.ts';
import { OPEN_THROTTLE, type Vitals } from './target.ts';

/** Part of the requests before memory and descriptors are looked at for the first time. */
const WARM_SHARE = 0.2;
/** Stretches of the attack, and turns of acknowledged writes that are made beside each, of the whole and of a share. */
const STRETCHES = 20;
const TURNS = 25;
const FEW_TURNS = 2;
const SETTLE_MS = 15_000;
/** What may be more at the end than after warming up: caches that fill up to their bounds, and what the allocator keeps. */
const MORE_BYTES = 64 * 2 ** 20;
/** Connections and folders that are open in passing. */
const MORE_DESCRIPTORS = 8;
/** From this share on, an operation that never succeeded is a blind spot. */
const SEEING_SHARE = 0.2;

/** Requests from the description, fitting and broken, for every operation. */
export const requests: Part = {
  title: 'requests from the description',
  async run(share, seed = 0) {
    const siege = await Siege.start(OPEN_THROTTLE);
    try {
      return await attack(siege, Math.ceil(WHOLE_REQUESTS * share), seed, share >= SEEING_SHARE);
    } finally {
      await siege.target.stop();
    }
  },
};

async function attack(siege: Siege, wanted: number, seed: number, isWhole: boolean): Promise<string[]> {
  const { target, census, keeper } = siege;
  const ledger = new Ledger();
  const started = performance.now();
  let before: Vitals = target.vitals;
  const along: string[] = [];
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    if (isWhole && stretch === STRETCHES * WARM_SHARE) before = await target.settledVitals(SETTLE_MS);
    await Promise.all([siege.run(Math.ceil(wanted / STRETCHES), seed + stretch * 1000), ledger.writeAll(target.clients.user, keeper.token, isWhole ? TURNS : FEW_TURNS)]);
    along.push(mib(target.vitals));
  }
  const seconds = (performance.now() - started) / 1000;
  const after = isWhole ? await target.settledVitals(SETTLE_MS) : target.vitals;
  const unseen = census.unseen;
  if (isWhole && unseen.length > 0) throw new Error(`seed ${seed}: blind, as these never succeeded: ${unseen.join(', ')}\n${census.lines().join('\n')}`);
  if (isWhole) assertNoGrowth(before, after, seed);
  await target.crash();
  const lost = await ledger.differences(target.clients.user, keeper.token);
  if (lost.length > 0) throw new Error(`seed ${seed}: after kill -9: ${lost.join('; ')}`);
  return [
    ...census.lines(),
    `${seconds.toFixed(0)} s, ${(census.requests / seconds).toFixed(0)} requests a second`,
    `memory ${mib(before)} MiB before (${isWhole ? 'a fifth of the requests in' : 'at the start'}), ${mib(after)} MiB after; descriptors ${before.descriptors} and ${after.descriptors}`,
    `memory along the way, MiB: ${along.join(' ')}`,
    `${ledger.written} acknowledged writes, 0 lost after kill -9`,
  ];
}

function assertNoGrowth(before: Vitals, after: Vitals, seed: number): void {
  if (after.residentBytes > before.residentBytes + MORE_BYTES) throw new Error(`seed ${seed}: memory grew from ${mib(before)} to ${mib(after)} MiB`);
  if (after.descriptors > before.descriptors + MORE_DESCRIPTORS) throw new Error(`seed ${seed}: descriptors grew from ${before.descriptors} to ${after.descriptors}`);
}

function mib({ residentBytes }: Vitals): string {
  return (residentBytes / 2 ** 20).toFixed(0);
}
