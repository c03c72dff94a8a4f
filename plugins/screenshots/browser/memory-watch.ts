import { readFile } from 'node:fs/promises';
import type { CDPSession } from 'puppeteer-core';
import type { Log } from '../../../kernel/log.ts';
import type { LaunchedBrowser } from './launched-browser.ts';

const INTERVAL_MS = 200;

/** Memory of a process that is not backed by files, from `/proc/<pid>/status`. */
export function privateBytes(status: string): number {
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return (kib('RssAnon') + kib('RssShmem')) * 1024;
}

/** Process group from `/proc/<pid>/stat`; the program name before it may contain anything. */
export function processGroup(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

/**
 * Kills the process of a page that exceeds the memory limit. Each page has one process of its own, because contexts
 * share none and frames are not isolated from one another. A process that grows faster than this samples meets the
 * kernel's limit instead.
 */
export class MemoryWatch {
  readonly #limitBytes: number;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #browser: LaunchedBrowser | undefined;
  #session: CDPSession | undefined;

  constructor(limitBytes: number, log: Log) {
    this.#limitBytes = limitBytes;
    this.#log = log;
  }

  async start(browser: LaunchedBrowser): Promise<void> {
    if (browser === this.#browser && this.#timer !== undefined) return;
    this.stop();
    this.#timer = setInterval(
      () =>
        void this.#sample(browser).catch((error: unknown) =>
          this.#log.debug({ err: error }, 'the memory use of pages could not be read'),
        ),
      INTERVAL_MS,
    ).unref();
    if (browser === this.#browser) return;
    this.#browser = browser;
    this.#session = await browser.browser.target().createCDPSession();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #sample({ pid: group }: LaunchedBrowser): Promise<void> {
    const info = await this.#session?.send('SystemInfo.getProcessInfo');
    const renderers = (info?.processInfo ?? []).filter(({ type }) => type === 'renderer');
    await Promise.all(
      renderers.map(async ({ id }) => {
        const bytes = privateBytes(await readFile(`/proc/${id}/status`, 'latin1'));
        if (bytes <= this.#limitBytes || processGroup(await readFile(`/proc/${id}/stat`, 'latin1')) !== group) return;
        this.#log.warn({ pid: id, bytes }, 'killing a page that exceeds the memory limit');
        process.kill(id, 'SIGKILL');
      }),
    );
  }
}
