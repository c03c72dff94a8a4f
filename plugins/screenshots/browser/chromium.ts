import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser } from 'puppeteer';
import type { Log } from '../../../kernel/log.ts';
import { browserUserOf, browserFlags, stripUnsafeFlags, launchWrapper, type BrowserUser } from './launch-command.ts';
import type { Settings } from '../schema.ts';

const LAUNCH_MS = 20_000;
/** After a launch that failed, none is tried for so long. */
const RETRY_MS = 5000;
const PROFILE = 'hostkeep-browser-';
const PROBE_MS = 10_000;

class NoSandbox extends Error {}

/** The one browser: started when first asked for, ended when idle, started again after its death. */
export class Chromium {
  readonly #executable: string;
  readonly #settings: Settings;
  readonly #log: Log;
  #browser: Promise<Browser> | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isSandboxed = true;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;
  #isClosed = false;

  constructor(executable: string, settings: Settings, log: Log) {
    this.#executable = executable;
    this.#settings = settings;
    this.#log = log;
  }

  get isRunning(): boolean {
    return this.#browser !== undefined;
  }

  /** Rejects when it cannot be started, and then at once for some seconds. */
  acquire(): Promise<Browser> {
    clearTimeout(this.#idle);
    if (this.#isClosed) return Promise.reject(new Error('the server is stopping'));
    if (this.#failure !== undefined && performance.now() < this.#failure.untilMs)
      return Promise.reject(this.#failure.error);
    this.#browser ??= this.#start();
    return this.#browser;
  }

  /** Nobody needs it now: it ends unless somebody asks in time. */
  rest(onEnd: () => Promise<void>): void {
    clearTimeout(this.#idle);
    this.#idle = globalThis
      .setTimeout(() => void onEnd().then(() => this.#stop()), this.#settings.idle_seconds * 1000)
      .unref();
  }

  /** Ends it at once, with all that is open in it. */
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
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the browser did not end by itself'));
    await this.#ending;
  }

  async #start(): Promise<Browser> {
    try {
      const browser = await this.#launch(this.#isSandboxed);
      this.#log.info({ version: await browser.version(), sandboxed: this.#isSandboxed }, 'browser started');
      return browser;
    } catch (error) {
      if (error instanceof NoSandbox && this.#settings.sandbox === 'auto') {
        this.#isSandboxed = false;
        this.#log.warn({ err: error }, 'this system gives the browser no sandbox: it runs with --no-sandbox');
        return this.#start();
      }
      this.#failure = { error, untilMs: performance.now() + RETRY_MS };
      this.#browser = undefined;
      throw error;
    }
  }

  async #launch(isSandboxed: boolean): Promise<Browser> {
    const { default: puppeteer } = await import('puppeteer');
    const identity = await browserUserOf(this.#settings.user);
    const profile = await makeProfile(identity);
    const [program = '', ...first] = launchWrapper(this.#settings.page_memory_bytes * 1.5, identity);
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
        defaultViewport: { width: 1280, height: 800 },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
      const ended = new Promise<void>(
        (resolve) => void browser.once('disconnected', () => resolve(this.#bury(browser, profile))),
      );
      this.#ending = Promise.all([this.#ending, ended]);
      return browser;
    } catch (error) {
      const why = isSandboxed
        ? await complaint(
            program,
            [...command, '--headless=new', `--user-data-dir=${profile}`, '--dump-dom', 'about:blank'],
            env,
          )
        : '';
      await removeProfile(profile);
      throw /No usable sandbox|without --no-sandbox/.test(why)
        ? new NoSandbox('the browser finds no usable sandbox', { cause: error })
        : error;
    }
  }

  /** Whatever a browser leaves behind goes with it: processes of its group, its folder. */
  async #bury(browser: Browser, profile: string): Promise<void> {
    const { pid } = browser.process() ?? {};
    if (this.#browser !== undefined && (await this.#browser.catch(() => undefined)) === browser)
      this.#browser = undefined;
    if (pid !== undefined) killGroup(pid);
    await removeProfile(profile).catch((error: unknown) =>
      this.#log.warn({ err: error, profile }, "the browser's folder could not be removed"),
    );
    this.#log.info('browser ended');
  }
}

/** What a browser that ends at once says of it; puppeteer keeps that to itself. */
async function complaint(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { env, timeout: PROBE_MS })).stderr;
  } catch (error) {
    return String((error as { readonly stderr?: unknown }).stderr);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A folder for one life of the browser. Those that processes like us, now dead, left behind are removed on the way. */
async function makeProfile(identity: BrowserUser | undefined): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PROFILE) ? Number(name.slice(PROFILE.length).split('-')[0]) : 0;
    if (pid > 0 && !isAlive(pid)) await removeProfile(join(tmpdir(), name));
  }
  const profile = await mkdtemp(join(tmpdir(), `${PROFILE}${process.pid}-`));
  if (identity !== undefined) await chown(profile, identity.uid, identity.gid);
  return profile;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * By the system's `rm`, which goes down by descriptors: another user owns what is in there, and may swap folders for
 * links. A process that is being killed may still write, so it is tried again.
 */
async function removeProfile(profile: string, tries = 5): Promise<void> {
  try {
    await promisify(execFile)('/bin/rm', ['-rf', '--', profile]);
  } catch (error) {
    if (tries <= 1) throw error;
    await setTimeout(100);
    await removeProfile(profile, tries - 1);
  }
}
