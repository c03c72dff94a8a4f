import { setMaxListeners } from 'node:events';
import type { Part } from '../part.ts';
import { ABUSES, type Abuse } from './abuses.ts';
import { Estate } from './estate.ts';
import { KINDS, observe, type Observation } from './observer.ts';

/** What the process that serves everybody may grow by during an abuse. */
const GROWTH_BYTES = 128 * 2 ** 20;
const MIB = 2 ** 20;
const MEMORY_EVERY_MS = 100;
const SECONDS = 20;

export interface AbuseReport {
  readonly idle: Observation;
  readonly abused: Observation;
  /** Most that the serving process had more than when idle. */
  readonly growthBytes: number;
  readonly largestWorkerBytes: number;
  /** What must not happen. */
  readonly violations: readonly string[];
  /** Requests of the hostile customer by status. */
  readonly answers: ReadonlyMap<number, number>;
}

/** Observes a neighbour while nobody else is there, and then during an abuse; `place` gives the processes their places before. */
export async function abuse(
  each: Abuse,
  share: number,
  seconds: number,
  place: (estate: Estate) => void = () => undefined,
): Promise<AbuseReport> {
  const estate = await Estate.start(each, share);
  try {
    place(estate);
    const idle = await observe(estate, seconds);
    const idleBytes = estate.memoryBytes;
    let [most, largestWorkerBytes] = [idleBytes, 0];
    const timer = setInterval(() => {
      if (!estate.node.isAlive) return;
      most = Math.max(most, estate.memoryBytes);
      largestWorkerBytes = Math.max(largestWorkerBytes, estate.largestWorkerBytes);
    }, MEMORY_EVERY_MS);
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    const attacking = each.attack(estate, ending.signal, share);
    const abused = await observe(estate, seconds);
    ending.abort();
    await attacking;
    clearInterval(timer);
    const growthBytes = most - idleBytes;
    const violations = [
      ...(estate.node.isAlive ? [] : [`the process ended: ${estate.node.output.slice(-1000)}`]),
      ...new Set(estate.failures),
      ...refusalsOf(idle).map((refusal) => `when idle, ${refusal}`),
      ...refusalsOf(abused),
      ...(growthBytes > GROWTH_BYTES ? [`the process grew by ${Math.round(growthBytes / MIB)} MiB`] : []),
    ];
    return { idle, abused, growthBytes, largestWorkerBytes, violations, answers: estate.answers };
  } finally {
    await estate.close();
  }
}

function refusalsOf(observation: Observation): string[] {
  return KINDS.flatMap((kind) => {
    const { answers, refused } = observation[kind];
    if (answers === 0) return [`the neighbour's ${kind} were never answered`];
    return refused.length === 0 ? [] : [`${refused.length} of ${answers} ${kind} of the neighbour got ${refused[0]}`];
  });
}

export const estate: Part = {
  title: 'a hostile customer beside a neighbour and an administrator',
  async run(share) {
    const figures: string[] = [];
    for (const each of ABUSES) {
      const { abused, growthBytes, violations, answers } = await abuse(each, share, Math.max(1.5, SECONDS * share));
      if (violations.length > 0) throw new Error(`${each.name}: ${violations.slice(0, 10).join('; ')}`);
      const counts = KINDS.map((kind) => `${abused[kind].answers} ${kind}`).join(', ');
      const hostile = [...answers].toSorted().map(([status, count]) => `${count} × ${status}`);
      figures.push(
        `${each.name}: the neighbour had ${counts}, none refused; all answers ${hostile.join(', ')}; ` +
          `${Math.max(0, Math.round(growthBytes / MIB))} MiB more`,
      );
    }
    return figures;
  },
};
