import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Browser } from 'puppeteer-core';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import { killProgram, startProgram, type ChildProcess } from '../../../kernel/kit/programs/start-program.ts';
import { HEIGHT, WIDTH, type Settings } from '../schema.ts';
import { browserFlags, stripUnsafeFlags, type BrowserProgram } from './launch-command.ts';
import { pipeTransport } from './pipe-transport.ts';
import { makeProfile, removeProfile } from './profile-folder.ts';
import { lacksSandbox, NoSandbox } from './sandbox.ts';

/** Loaded with the first browser, to save start-up time and memory. */
const loadPuppeteer = lazyPackage<typeof import('puppeteer-core')>('puppeteer-core', import.meta.url);

const LAUNCH_MS = 20_000;
/** The kernel's limit on a process of the browser, as a multiple of a page's limit. */
const LIMIT_FACTOR = 1.5;
const STDERR_CHARACTERS = 1 << 16;
const NICE = ['-n', '5', '--'];

/** A running browser: its connection and its processes. */
export interface LaunchedBrowser {
  readonly browser: Browser;
  /** E.g. `Chrome/156.0.8078.79`. */
  readonly version: string;
  /** The main process, which leads the group of all others. */
  readonly pid: number;
  /** Resolves when its processes have ended and its profile folder is removed. */
  readonly ended: Promise<void>;
  /** Ends it at once, with everything that is open in it. */
  kill(): void;
}

/** Starts the browser as a bare program. Rejects with `NoSandbox` when it finds no sandbox. */
export async function launchBrowser(installed: BrowserProgram, settings: Settings, log: Log): Promise<LaunchedBrowser> {
  const { default: puppeteer } = loadPuppeteer();
  const profile = await makeProfile(installed.user);
  const flags = puppeteer.defaultArgs({
    headless: true,
    userDataDir: profile,
    args: browserFlags(settings, installed.isSandboxed),
  });
  const program = start(installed, stripUnsafeFlags(flags), profile, settings);
  const stderr = firstOf(program.stderr);
  const ended = endOf(program, profile, log);
  const kill = () => killProgram(program, { isGroup: true });
  try {
    const transport = pipeTransport(program.stdio[3] as Writable, program.stdio[4] as Readable);
    const connected = puppeteer
      .connect({ transport, defaultViewport: { width: WIDTH, height: HEIGHT } })
      .then(async (browser) => ({ browser, version: await browser.version() }));
    const failed = ended.then(() => Promise.reject(new Error('the browser ended while it was starting')));
    return {
      ...(await withDeadline(Promise.race([connected, failed]), LAUNCH_MS)),
      pid: program.pid ?? 0,
      ended,
      kill,
    };
  } catch (error) {
    kill();
    await ended;
    throw installed.isSandboxed && lacksSandbox(stderr.text)
      ? new NoSandbox('the browser finds no usable sandbox', { cause: error })
      : new Error(`the browser does not start: ${stderr.text.trim().split('\n').at(-1) ?? ''}`, { cause: error });
  }
}

function start(
  { executable, user }: BrowserProgram,
  flags: readonly string[],
  profile: string,
  { page_memory_bytes: pageBytes }: Settings,
): ChildProcess {
  return startProgram('nice', [...NICE, executable, ...flags, '--remote-debugging-pipe', 'about:blank'], {
    env: { HOME: profile, TMPDIR: profile, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    limits: { dataBytes: Math.floor(pageBytes * LIMIT_FACTOR) },
    isGroup: true,
    diesWithParent: true,
    ...(user && { user }),
  });
}

/** Collects the beginning of a stream, and reads the rest, so that its writer never waits. */
function firstOf(stream: Readable | null): { text: string } {
  const first = { text: '' };
  stream
    ?.setEncoding('utf8')
    .on('data', (text: string) => (first.text = `${first.text}${text}`.slice(0, STDERR_CHARACTERS)));
  return first;
}

/** Resolves when the browser has ended, its other processes are killed, and its profile folder is removed. */
async function endOf(program: ChildProcess, profile: string, log: Log): Promise<void> {
  await once(program, 'exit').catch((error: unknown) => log.warn({ err: error }, 'the browser could not be started'));
  killProgram(program, { isGroup: true });
  await removeProfile(profile).catch((error: unknown) =>
    log.warn({ err: error, profile }, "the browser's profile folder could not be removed"),
  );
}
