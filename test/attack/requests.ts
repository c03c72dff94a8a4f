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
/** What the heap may be larger at the end than after the first fifth once garbage was collected, and how much more for the whole attack. */
const MORE_HEAP_BYTES = 6 * 2 ** 20;
/** From this share on, memory that is not the heap's shows what it grew by; caches fill up in a smaller one. */
const LEAKING_SHARE = 0.2;
const BRIEF_SETTLE_MS = 2000;
/** Rounds for operations that chance has left without a success. */
const SEEKING_ROUNDS = 200;
const SEEKING_REQUESTS = 100;

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
  const settleMs = isLong ? SETTLE_MS : BRIEF_SETTLE_MS;
  let before: Vitals = target.vitals;
  let heapBefore = 0;
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    if (stretch === FIFTH) [before, heapBefore] = [await target.settledVitals(settleMs), await target.heapBytes()];
    const work = Promise.all([
      siege.run(Math.ceil((WHOLE_REQUESTS * share) / STRETCHES), seed + stretch * 1000),
      ledger.writeAll(target.clients.user, keeper.token, isLong ? TURNS : FEW_TURNS),
    ]);
    lowest.push(await target.lowestMemory(SAMPLE_MS, work));
  }
  const seconds = (performance.now() - started) / 1000;
  const [after, heapAfter] = [await target.settledVitals(settleMs), await target.heapBytes()];
  const [early, late] = [Math.min(...lowest.slice(FIFTH, 2 * FIFTH)), Math.min(...lowest.slice(-FIFTH))];
  if (isLong && late > early + MORE_BYTES)
    throw new Error(`seed ${seed}: memory grew from ${mib(early)} to ${mib(late)} MiB`);
  if (heapAfter > heapBefore + MORE_HEAP_BYTES + share * MORE_BYTES)
    throw new Error(`seed ${seed}: the heap grew from ${mib(heapBefore)} to ${mib(heapAfter)} MiB`);
  if (after.descriptors > before.descriptors + MORE_DESCRIPTORS)
    throw new Error(`seed ${seed}: descriptors grew from ${before.descriptors} to ${after.descriptors}`);
  await assertNoneIsBlind(siege, seed);
  await target.crash();
  const lost = await ledger.differences(target.clients.user, keeper.token);
  if (lost.length > 0) throw new Error(`seed ${seed}: after kill -9: ${lost.join('; ')}`);
  return [
    ...census.lines(),
    `${seconds.toFixed(0)} s, ${(census.requests / seconds).toFixed(0)} requests a second`,
    `lowest memory in the second fifth of the requests ${mib(early)} MiB, in the last ${mib(late)} MiB; by the twentieth: ${lowest.map(mib).join(' ')}`,
    `heap without garbage after the first fifth ${mib(heapBefore)} MiB, at the end ${mib(heapAfter)} MiB`,
    `descriptors when idle after the first fifth ${before.descriptors}, at the end ${after.descriptors}`,
    `${ledger.written} acknowledged writes, 0 lost after kill -9`,
  ];
}

/** Rejects when an operation never succeeds, not even in requests for those alone that have not, and for those above and below them in their paths. */
async function assertNoneIsBlind(siege: Siege, seed: number): Promise<void> {
  const { census, operations } = siege;
  for (let round = 0; census.unseen.length > 0 && round < SEEKING_ROUNDS; round += 1) {
    const blind = operations.filter(({ id }) => census.unseen.includes(id));
    const near = operations.filter(({ address, path }) =>
      blind.some((each) => each.address === address && (each.path.startsWith(path) || path.startsWith(each.path))),
    );
    await siege.run(SEEKING_REQUESTS, seed + (STRETCHES + round) * 1000, near);
  }
  if (census.unseen.length > 0)
    throw new Error(
      `seed ${seed}: blind, as these never succeeded: ${census.unseen.join(', ')}\n${census.lines().join('\n')}`,
    );
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
