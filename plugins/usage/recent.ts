import type { Sample } from './sample.ts';

const KEPT_MS = 600_000;
const KEPT_AT_MOST = 1200;

/** What was sampled in the last ten minutes, oldest first. */
export class Recent {
  readonly samples: Sample[] = [];

  /** Samples of a time that is yet to come, left by a clock that was wrong, go. */
  add(sample: Sample): void {
    while ((this.samples.at(-1)?.at ?? -Infinity) >= sample.at) this.samples.pop();
    this.samples.push(sample);
    while (this.samples.length > KEPT_AT_MOST || (this.samples[0]?.at ?? Infinity) < sample.at - KEPT_MS)
      this.samples.shift();
  }

  /** The samples that a follower missed who saw the one of `at` last. */
  after(at: number): Sample[] {
    return this.samples.filter((sample) => sample.at > at && sample.isLive);
  }
}
