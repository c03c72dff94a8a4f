import type { Browser } from 'puppeteer';
import type { Log } from '../../../kernel/log.ts';
import { runProgram } from '../../../kernel/system/run-program.ts';
import { HEIGHT, WIDTH, type Settings } from '../schema.ts';
import { browserFlags, browserUserOf, launchWrapper, stripUnsafeFlags } from './launch-command.ts';
import { makeProfile, removeProfile } from './profile-folder.ts';

const LAUNCH_MS = 20_000;
/** After a failed launch, `acquire` rejects at once for this long. */
const RETRY_MS = 5000;
const PROBE_MS = 10_000;
const STDERR_CHARACTERS = 1 << 20;
/** The kernel's limit on a process of the browser, as a multiple of a page's limit. */
const LIMIT_FACTOR = 1.5;

class NoSandbox extends Error {}

/** The one browser process: started on demand, ended when idle, restarted after it died. */
export class Chromium {
  readonly #executable: string;
  readonly #settings: Settings;
  readonly #log: Log;
  #browser: Promise<Browser> | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isSandboxed = true;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;
  #isClosed = false;

  constructor(executable: string, settings: Settings, log: Log) {
    this.#executable = executable;
    this.#settings = settings;
    this.#log = log;
  }

  /** Why the latest start failed; `undefined` if it did not. */
  get launchFailure(): unknown {
    return this.#failure?.error;
  }

  /** Returns the running browser, or starts it. Rejects when it cannot be started. */
  acquire(): Promise<Browser> {
    clearTimeout(this.#idle);
    if (this.#isClosed) return Promise.reject(new Error('the server is stopping'));
    if (this.#failure !== undefined && performance.now() < this.#failure.untilMs)
      return Promise.reject(this.#failure.error);
    this.#browser ??= this.#start();
    return this.#browser;
  }

  /** Ends the browser after the idle time, unless `acquire` is called before that; `release` is called first. */
  endWhenIdle(release: () => Promise<void>): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void release().then(() => this.#stop()), this.#settings.idle_seconds * 1000).unref();
  }

  /** Ends the browser at once, with everything that is open in it. */
  async kill(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    browser?.process()?.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const browser = await this.#browser?.catch(() => undefined);
    this.#browser = undefined;
    await browser
      ?.close()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the browser did not shut down cleanly'));
    await this.#ended;
  }

  async #start(): Promise<Browser> {
    try {
      const browser = await this.#launch(this.#isSandboxed);
      this.#failure = undefined;
      this.#log.info({ version: await browser.version(), sandboxed: this.#isSandboxed }, 'browser started');
      return browser;
    } catch (error) {
      if (error instanceof NoSandbox && this.#settings.sandbox === 'auto') {
        this.#isSandboxed = false;
        this.#log.warn({ err: error }, 'no sandbox is available on this system; running with --no-sandbox');
        return this.#start();
      }
      this.#failure = { error, untilMs: performance.now() + RETRY_MS };
      this.#browser = undefined;
      throw error;
    }
  }

  async #launch(isSandboxed: boolean): Promise<Browser> {
    const { default: puppeteer } = await import('puppeteer');
    const user = await browserUserOf(this.#settings.user);
    const profile = await makeProfile(user);
    const [program = '', ...first] = launchWrapper(this.#settings.page_memory_bytes * LIMIT_FACTOR, user);
    const command = [...first, this.#executable];
    const env = { PATH: '/usr/bin:/bin', HOME: profile, TMPDIR: profile, LANG: 'C.UTF-8' };
    const defaults = puppeteer.defaultArgs({
      headless: true,
      userDataDir: profile,
      args: browserFlags(this.#settings, isSandboxed),
    });
    try {
      const browser = await puppeteer.launch({
        executablePath: program,
        args: [...command, ...stripUnsafeFlags(defaults), 'about:blank'],
        ignoreDefaultArgs: true,
        userDataDir: profile,
        env,
        pipe: true,
        timeout: LAUNCH_MS,
        defaultViewport: { width: WIDTH, height: HEIGHT },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
      const ended = new Promise<void>(
        (resolve) => void browser.once('disconnected', () => resolve(this.#onDisconnected(browser, profile))),
      );
      this.#ended = Promise.all([this.#ended, ended]);
      return browser;
    } catch (error) {
      const probe = ['--headless=new', `--user-data-dir=${profile}`, '--dump-dom', 'about:blank'];
      const options = { env, timeoutMs: PROBE_MS, stderrCharacters: STDERR_CHARACTERS, ...(user && { user }) };
      const ran = isSandboxed ? await runProgram(this.#executable, probe, options) : undefined;
      await removeProfile(profile);
      throw /No usable sandbox|without --no-sandbox/.test(ran?.stderr ?? '')
        ? new NoSandbox('the browser finds no usable sandbox', { cause: error })
        : error;
    }
  }

  /** Cleans up after a browser: the processes of its group, and its profile folder. */
  async #onDisconnected(browser: Browser, profile: string): Promise<void> {
    const { pid } = browser.process() ?? {};
    if (this.#browser !== undefined && (await this.#browser.catch(() => undefined)) === browser)
      this.#browser = undefined;
    if (pid !== undefined) killGroup(pid);
    await removeProfile(profile).catch((error: unknown) =>
      this.#log.warn({ err: error, profile }, "the browser's profile folder could not be removed"),
    );
    this.#log.info('browser ended');
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
