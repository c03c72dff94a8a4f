import type { Sample } from './sample.ts';

const KEPT_MS = 600_000;
const MAX_SAMPLES = 1200;

/** The samples of the last ten minutes, oldest first. */
export class RecentSamples {
  readonly samples: Sample[] = [];

  /** Drops samples that are newer than this one: a wrong clock dated them in the future. */
  add(sample: Sample): void {
    while ((this.samples.at(-1)?.at ?? -Infinity) >= sample.at) this.samples.pop();
    this.samples.push(sample);
    while (this.samples.length > MAX_SAMPLES || (this.samples[0]?.at ?? Infinity) < sample.at - KEPT_MS)
      this.samples.shift();
  }

  /** Returns the samples that a client missed whose last one was that of `at`. */
  after(at: number): Sample[] {
    return this.samples.filter((sample) => sample.at > at && sample.isLive);
  }
}
