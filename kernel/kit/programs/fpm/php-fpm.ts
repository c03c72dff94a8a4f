/** Masters of PHP-FPM with one pool each, whose scripts run as an account. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../../errors.ts';
import { answersPing, PING_PATH, STATUS_PATH } from './fastcgi.ts';
import { OWN_UID } from '../../net/account-socket.ts';
import type { NamedProgram, ProgramFolder } from '../program-folder.ts';
import { killProgram, startProgram } from '../start-program.ts';

type Values = Readonly<Record<string, string | number>>;

/** How the scripts of a pool run. Values must mean nothing in PHP's files of settings between quotes. */
export interface FpmPool {
  /** Scripts that run at once. */
  readonly workers: number;
  /** How long a script may take. */
  readonly seconds: number;
  /** How long a process waits for the next request; 30 unless given. */
  readonly idleSeconds?: number;
  /** Variables of the scripts; one with the value `null` is that of the master. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Directives that scripts cannot change. */
  readonly fixed: Values;
  /** Directives that they can. */
  readonly values: Values;
}

interface FpmPlaces {
  readonly uid: number;
  /** The group of the web server, which alone opens the socket. */
  readonly webGid: number;
  readonly socket: string;
}

interface FpmStart {
  /** Of PHP, such as 8.2. */
  readonly version: string;
  readonly settings: string;
  /** The path in the settings. */
  readonly socket: string;
  /** The folder of the account's files. */
  readonly root: string;
  readonly webGid: number;
  readonly workers: number;
  readonly memoryMib: number;
  readonly env?: Readonly<Record<string, string>>;
  /** See `ProgramOptions.group`. */
  readonly group?: string | undefined;
  /** Takes what the master prints. */
  readonly printed: (text: string) => void;
  /** Makes the error for a master that does not answer. */
  readonly refuse: (reason: string) => Error;
}

/** Added to a script's own limit, which does not count what it waits for. */
const GRACE_SECONDS = 10;
const START_MS = 10_000;
const PING_MS = 1000;
const POLL_MS = 20;
const MIB = 2 ** 20;
/** Of a process, besides what its scripts may take. */
const OWN_MIB = 256;
/** Processes and threads that the account may have besides those of a pool: jobs, and programs of its scripts. */
const OTHERS = 256;
const OPEN_FILES = 4096;
/** Characters that a master printed which are kept. */
const PRINTED = 1000;
/** Characters that mean nothing in PHP's files of settings between quotes. */
const PLAIN = /^\/[A-Za-z0-9._/-]+$/;

/** Throws for paths that settings of PHP cannot hold. */
export function assertPlain(...paths: readonly string[]): void {
  for (const path of paths)
    if (!PLAIN.test(path)) throw new Error(`the path ${JSON.stringify(path)} cannot be written into a pool`);
}

/** Returns the settings of a master with one pool. */
export function fpmSettings({ uid, webGid, socket }: FpmPlaces, pool: FpmPool): string {
  assertPlain(socket);
  return [
    '[global]',
    'log_level = warning',
    // It opens this, but prints (--force-stderr). Its own file is in a folder that the broker of the package cannot write.
    'error_log = /dev/null',
    'daemonize = no',
    `process_control_timeout = ${pool.seconds + 2 * GRACE_SECONDS}s`,
    '[site]',
    `user = ${uid}`,
    `group = ${uid}`,
    `listen = "${socket}"`,
    `listen.owner = ${OWN_UID}`,
    `listen.group = ${webGid}`,
    'listen.mode = 0660',
    'pm = ondemand',
    `pm.max_children = ${pool.workers}`,
    `pm.process_idle_timeout = ${pool.idleSeconds ?? 30}s`,
    'pm.max_requests = 1000',
    `ping.path = ${PING_PATH}`,
    `pm.status_path = ${STATUS_PATH}`,
    `request_terminate_timeout = ${pool.seconds + GRACE_SECONDS}s`,
    'security.limit_extensions = .php',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    ...Object.entries(pool.env).map(([name, value]) => `env[${name}] = ${value === null ? `$${name}` : `"${value}"`}`),
    ...Object.entries(pool.fixed).map(([name, value]) => `php_admin_value[${name}] = "${value}"`),
    ...Object.entries(pool.values).map(([name, value]) => `php_value[${name}] = "${value}"`),
    '',
  ].join('\n');
}

/** Starts a master, and resolves once its pool answers. Rejects with an error of `refuse` that says what it printed */
export async function startFpm(folder: ProgramFolder, named: NamedProgram, start: FpmStart): Promise<void> {
  await rm(start.socket, { force: true });
  let printed = '';
  let end: string | undefined;
  const child = await folder.start(named, { settings: start.settings, gid: start.webGid }, (file) => {
    const begun = startProgram(`php-fpm${start.version}`, ['--nodaemonize', '--force-stderr', '--fpm-config', file], {
      exception: 'process manager',
      isAlone: true,
      sees: [start.root, start.socket],
      isGroup: true,
      diesWithParent: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      group: start.group,
      ...(start.env && { env: start.env }),
      limits: {
        dataBytes: (start.memoryMib + OWN_MIB) * MIB,
        openFiles: OPEN_FILES,
        // that of somebody else counts all that he runs
        ...(OWN_UID === 0 && { processes: start.workers + OTHERS }),
      },
    });
    begun.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-PRINTED);
      start.printed(text);
    });
    begun.once('error', (error) => (end = errorMessage(error)));
    begun.once('exit', (code, signal) => (end = `it ended with ${signal ?? code}`));
    return begun;
  });
  const deadline = performance.now() + START_MS;
  while (!(await answersPing(start.socket, PING_MS))) {
    if (end === undefined && performance.now() > deadline) end = `it does not answer within ${START_MS} ms`;
    if (end !== undefined) {
      killProgram(child, { isGroup: true });
      await rm(start.socket, { force: true });
      await folder.clearUnlessAsleep(named);
      throw start.refuse(`php-fpm${start.version}: ${end}${printed && `: ${printed.trim()}`}`);
    }
    await delay(POLL_MS);
  }
}
