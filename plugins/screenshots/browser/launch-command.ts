import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { HEIGHT, WIDTH, type Settings } from '../schema.ts';

const run = promisify(execFile);

/** The binaries come before the shell scripts that start them. */
const DEFAULT_PATHS = [
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
];
/** One process for all frames of a page, and plain http stays http. */
const DISABLED_FEATURES = [
  'IsolateOrigins',
  'site-per-process',
  'HttpsUpgrades',
  'HttpsFirstModeIncognito',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsFirstBalancedMode',
].join();
const SETPRIV = '/usr/bin/setpriv';
const PRLIMIT = '/usr/bin/prlimit';
const NICE = '/usr/bin/nice';

/** Returns the path of the configured browser, or of the first one installed; `undefined` when there is none. */
export function findBrowser(configured: string): string | undefined {
  return (configured === '' ? DEFAULT_PATHS : [configured]).find((path) => existsSync(path));
}

/** Resolves with e.g. `Chromium 156.0.8078.79`. Rejects when the program cannot be run. */
export async function browserVersion(executable: string): Promise<string> {
  const { stdout } = await run(executable, ['--version'], {
    timeout: 1500,
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
  });
  return /\S+ [\d.]+/.exec(stdout)?.[0] ?? stdout.trim();
}

export interface BrowserUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The ids of the user that the browser runs as; `undefined` when Hostkeep is not root, and the browser runs as the same
 * user. Rejects when there is no such user.
 */
export async function browserUserOf(user: string): Promise<BrowserUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => Number((await run('/usr/bin/id', [option, '--', user])).stdout)),
  );
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${user}`);
  return { uid, gid };
}

/**
 * The command that starts the browser: with a lower priority, the kernel's limit on the memory of one process and an
 * unprivileged user, and so that it dies with its parent.
 */
export function launchWrapper(memoryBytes: number, user: BrowserUser | undefined): string[] {
  const as =
    user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--inh-caps=-all'];
  return [
    NICE,
    '-n',
    '5',
    PRLIMIT,
    `--data=${memoryBytes}`,
    '--core=0',
    '--',
    SETPRIV,
    ...as,
    '--pdeathsig=KILL',
    '--',
  ];
}

/** Programs that `launchWrapper` needs and this system lacks. */
export function missingPrograms(): string[] {
  return [SETPRIV, PRLIMIT, NICE].filter((path) => !existsSync(path));
}

/** Flags in addition to puppeteer's. The browser-wide proxy leads nowhere; each page has its own. */
export function browserFlags(settings: Pick<Settings, 'page_memory_bytes'>, isSandboxed: boolean): string[] {
  const heapMib = Math.floor(settings.page_memory_bytes / 2 / 1024 / 1024);
  return [
    '--disable-gpu',
    '--disable-quic',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-notifications',
    '--no-default-browser-check',
    '--no-pings',
    '--ignore-certificate-errors',
    `--window-size=${WIDTH},${HEIGHT}`,
    '--proxy-server=socks5://127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-site-isolation-trials',
    `--js-flags=--max-old-space-size=${heapMib}`,
    ...(isSandboxed ? [] : ['--no-sandbox']),
  ];
}

/** Puppeteer's default flags without those that weaken the browser's protection. */
export function stripUnsafeFlags(defaults: readonly string[]): string[] {
  return defaults
    .filter((argument) => argument !== '--disable-popup-blocking' && argument !== 'about:blank')
    .map((argument) => (argument.startsWith('--disable-features=') ? `${argument},${DISABLED_FEATURES}` : argument));
}
