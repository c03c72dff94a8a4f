/** Upper bounds of the latency histogram, in seconds. */
export const LATENCY_BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15] as const;

/** Counts the replies of one route by status and latency; cheap enough for every request. */
export class RouteMetrics {
  /** Requests by status. */
  readonly statuses = new Map<number, number>();
  /** Requests by latency bucket; the last bucket is for those above every bound. */
  readonly latency = new Array<number>(LATENCY_BUCKETS.length + 1).fill(0);
  secondsTotal = 0;

  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] ?? 0)) bucket += 1;
    this.latency[bucket] = (this.latency[bucket] ?? 0) + 1;
    this.secondsTotal += seconds;
  }
}
