import { existsSync } from 'node:fs';
import { Unavailable } from '../../../kernel/errors.ts';
import { userIds } from '../../../kernel/kit/jobs/system-names.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import type { ProgramUser } from '../../../kernel/kit/programs/start-program.ts';
import { HEIGHT, WIDTH, type Settings } from '../schema.ts';

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
const STARTERS = ['/usr/bin/setpriv', '/usr/bin/prlimit', '/usr/bin/unshare', '/usr/bin/nice'];

/** A program that only tells something starts slowly on a busy node. */
const TELL_MS = 10_000;

/** A program was killed, as at its time limit: what it would have said is unknown. */
export class NoAnswer extends Error {}

/** The browser of this system, and how it is run. */
export interface BrowserProgram {
  readonly executable: string;
  /** `undefined` where it runs as the user of this process. */
  readonly user: ProgramUser | undefined;
  readonly isSandboxed: boolean;
}

/** Returns the path of the configured browser, or of the first one installed; `undefined` when there is none. */
export function findBrowser(configured: string): string | undefined {
  return (configured === '' ? DEFAULT_PATHS : [configured]).find((path) => existsSync(path));
}

/** Resolves with e.g. `Chromium 156.0.8078.79`. Rejects when it cannot be run; with `NoAnswer` when it does not end. */
export async function browserVersion(executable: string, timeoutMs = TELL_MS): Promise<string> {
  const stdout = await outputOf(executable, ['--version'], timeoutMs);
  return /\S+ [\d.]+/.exec(stdout)?.[0] ?? stdout.trim();
}

/**
 * Returns the ids of the user that the browser runs as; `undefined` when Hostkeep is not root, and the browser runs as the same
 * user. Throws `Unavailable` when there is no such user.
 */
export function findBrowserUser(name: string): ProgramUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ids = userIds(name);
  if (ids === undefined) throw new Unavailable(`there is no user ${name}`, `adduser --system --no-create-home ${name}`);
  return ids;
}

async function outputOf(program: string, args: readonly string[], timeoutMs = TELL_MS): Promise<string> {
  const { code, endedBy, stdout, stderr } = await runProgram(program, args, {
    timeoutMs,
    env: { HOME: '/nonexistent' },
  });
  if (endedBy === 'SIGKILL') throw new NoAnswer(`${program} did not end within ${timeoutMs / 1000} s, or was killed`);
  if (code !== 0) throw new Error(stderr.trim() || `${program} ended with ${endedBy ?? code}`);
  return stdout;
}

/** Programs that start the browser and this system lacks. */
export function missingPrograms(): string[] {
  return STARTERS.filter((path) => !existsSync(path));
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
