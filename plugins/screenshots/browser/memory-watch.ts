import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession } from 'puppeteer';
import type { Log } from '../../../kernel/log.ts';

const EVERY_MS = 200;

/** What a process holds in memory that no file backs, from `/proc/<pid>/status`. */
export function privateBytes(status: string): number {
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return (kib('RssAnon') + kib('RssShmem')) * 1024;
}

/** Process group from `/proc/<pid>/stat`; the name before it may hold anything. */
export function processGroup(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

/**
 * Kills a page's process that grows over the limit. A page has one process to itself, because contexts share none and
 * its frames are not isolated from one another. What grows faster than this looks is stopped by the kernel's limit.
 */
export class MemoryWatch {
  readonly #limitBytes: number;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #browser: Browser | undefined;
  #session: CDPSession | undefined;

  constructor(limitBytes: number, log: Log) {
    this.#limitBytes = limitBytes;
    this.#log = log;
  }

  async start(browser: Browser): Promise<void> {
    if (browser === this.#browser && this.#timer !== undefined) return;
    this.stop();
    this.#timer = setInterval(
      () =>
        void this.#look(browser).catch((error: unknown) =>
          this.#log.debug({ err: error }, 'the memory of pages could not be read'),
        ),
      EVERY_MS,
    ).unref();
    if (browser === this.#browser) return;
    this.#browser = browser;
    this.#session = await browser.target().createCDPSession();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(browser: Browser): Promise<void> {
    const group = browser.process()?.pid;
    const info = await this.#session?.send('SystemInfo.getProcessInfo');
    const renderers = (info?.processInfo ?? []).filter(({ type }) => type === 'renderer');
    await Promise.all(
      renderers.map(async ({ id }) => {
        const bytes = privateBytes(await readFile(`/proc/${id}/status`, 'latin1'));
        if (bytes <= this.#limitBytes || processGroup(await readFile(`/proc/${id}/stat`, 'latin1')) !== group) return;
        this.#log.warn({ pid: id, bytes }, 'a page took too much memory and is ended');
        process.kill(id, 'SIGKILL');
      }),
    );
  }
}
