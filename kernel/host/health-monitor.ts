import type { Log } from '../log.ts';
import { failureText } from '../errors.ts';
import type { Finding } from '../contract/points/finding.ts';
import type { Gatherer } from './gatherer.ts';

/** The first check waits, so that it does not slow down the start; `intervalMs` is from the end of one to the next. */
const TIMING = { firstMs: 1000, intervalMs: 10_000 };

/** Something that a plugin lacks, its remedy, and the features that cannot be used without it. */
type Degradation = Pick<Finding, 'detail' | 'remedy' | 'features'>;

/** Checks in the background whether the plugins have what they need from outside, so that readers of a state never wait. */
export class HealthMonitor {
  readonly #gather: Gatherer['gather'];
  readonly #log: Log;
  readonly #timing: typeof TIMING;
  #degraded: ReadonlyMap<string, Degradation> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(gather: Gatherer['gather'], log: Log, timing = TIMING) {
    this.#gather = gather;
    this.#log = log;
    this.#timing = timing;
  }

  start(): void {
    this.#schedule(this.#timing.firstMs);
  }

  /** Returns what the plugin lacked at the last check; `undefined` if it lacked nothing, or there was none yet. */
  of(plugin: string): Degradation | undefined {
    return this.#degraded.get(plugin);
  }

  /** Whether accounts could use the feature at the last check, as far as the plugins know. */
  allows(feature: string): boolean {
    for (const { features } of this.#degraded.values()) if (features?.includes(feature) === true) return false;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), ms).unref();
  }

  async #check(): Promise<void> {
    const parts = await this.#gather('health');
    if (this.#isClosed) return;
    const now = new Map<string, Degradation>();
    for (const part of parts) {
      const found = part.ok ? degradationOf(part.value) : { detail: failureText('the check failed', part.error) };
      if (found !== undefined) now.set(part.plugin, found);
    }
    this.#logChanges(now);
    this.#degraded = now;
    this.#schedule(this.#timing.intervalMs);
  }

  #logChanges(now: ReadonlyMap<string, Degradation>): void {
    for (const [plugin, { detail }] of now)
      if (!this.#degraded.has(plugin)) this.#log.warn({ plugin }, `plugin ${plugin} is degraded: ${detail}`);
    for (const plugin of this.#degraded.keys())
      if (!now.has(plugin)) this.#log.info({ plugin }, `plugin ${plugin} is ready again`);
  }
}

function degradationOf(findings: readonly Finding[]): Degradation | undefined {
  const failed = findings.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  const remedy = failed.find((each) => each.remedy !== undefined)?.remedy;
  const detail = failed.map((each) => each.detail).join('; ');
  const features = failed.flatMap((each) => each.features ?? []);
  return { detail, ...(remedy !== undefined && { remedy }), ...(features.length > 0 && { features }) };
}
