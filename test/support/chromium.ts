import { existsSync } from 'node:fs';
import type { Browser } from 'puppeteer-core';
import { reportSkipped } from './suite.ts';
import { LIMIT_MS } from './until.ts';

/** Chromium without its windows, which shows pages for half the processor time. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';
const CHROMIUM = [SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** Starts a browser that reaches loopback only; `undefined` where none is installed, which is an error in CI. */
export async function startChromium(purpose: string): Promise<Browser | undefined> {
  if (CHROMIUM === undefined) {
    reportSkipped(`no chromium ${purpose}; install with apt-get install chromium`);
    return undefined;
  }
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.launch({
    executablePath: CHROMIUM,
    headless: CHROMIUM === SHELL ? 'shell' : true,
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--proxy-server=127.0.0.1:9'],
      '--proxy-bypass-list=127.0.0.1,localhost,*.localhost',
    ],
    pipe: true,
    timeout: LIMIT_MS,
  });
}
