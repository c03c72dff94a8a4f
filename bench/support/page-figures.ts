/** Figures that a browser has about a page: interactions until painted, and what an open page takes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';

/** Has the page keep the durations of its interactions, in milliseconds, from event to next paint. */
export async function watchInteractions(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(`
    globalThis.interactions = new Map();
    const keep = (list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId) interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0));
    };
    new PerformanceObserver(keep).observe({ type: 'event', buffered: true, durationThreshold: 16 });
    new PerformanceObserver(keep).observe({ type: 'first-input', buffered: true });`);
}

/** Resolves with the durations of all interactions since the page was loaded; those below 16 ms are left out by the browser. */
export async function interactionsOf(page: Page): Promise<number[]> {
  await delay(500); // entries arrive after the paint, at the browser's leisure
  return (await page.evaluate('[...interactions.values()]')) as number[];
}

interface Live {
  /** Bytes of the page's JavaScript memory more at the end than a minute after the beginning, garbage collected. */
  readonly growthBytes: number;
  /** Share of one core that the page's main thread took. */
  readonly busy: number;
}

/** Leaves a page open, and measures what it takes. The first minute fills its history. */
export async function stayLive(page: Page, minutes: number): Promise<Live> {
  const session = await page.createCDPSession();
  const now = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { JSHeapUsedSize = 0, TaskDuration = 0 } = await page.metrics();
    return { bytes: JSHeapUsedSize, seconds: TaskDuration };
  };
  await delay(60_000);
  const before = await now();
  const startedMs = performance.now();
  await delay(minutes * 60_000);
  const { bytes, seconds } = await now();
  const passed = (performance.now() - startedMs) / 1000;
  return { growthBytes: bytes - before.bytes, busy: (seconds - before.seconds) / passed };
}
