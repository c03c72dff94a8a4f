import { SharedCounts } from './shared-counts.ts';
import { Turns } from './turns.ts';
import type { Workers } from './workers.ts';

/** A process without others, whose turns are its own. */
export function soleWorker(): Workers {
  const turns = new Turns();
  const nothing = () => () => undefined;
  const workers: Workers = {
    count: 1,
    number: 1,
    share: (number) => number,
    turn: (name, most) => turns.take(name, most),
    tell: () => undefined,
    hear: nothing,
    ask: async () => [],
    answer: nothing,
    counts: (topic) => new SharedCounts(workers, topic),
  };
  return workers;
}
