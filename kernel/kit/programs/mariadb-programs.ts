/** The programs of MariaDB that write databases as statements, and run such statements. */
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../errors.ts';
import { escapeControl } from '../../log.ts';
import { runProgram } from './run-program.ts';
import { killProgram, startProgram, type ChildProcess, type ProgramLimits } from './start-program.ts';

/** How to reach a server, and as whom; the socket is used if there is one. */
export interface ServerLogin {
  readonly socket: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Newer names first. */
const PROGRAMS = { dump: ['mariadb-dump', 'mysqldump'], load: ['mariadb', 'mysql'] } as const;
type MariaDbProgram = keyof typeof PROGRAMS;
const REMEDY = 'apt-get install mariadb-client';

const VERSION_MS = 10_000;
/** How long a program may say nothing: it may wait for a table that somebody changes. */
const SILENCE_MS = 900_000;
const STDERR_CHARACTERS = 1000;
/** The descriptor on which a program reads its login: no name of a file, argument or variable has it. */
const LOGIN_FD = 3;
/** As for all other statements: newer programs would refuse a server without a certificate. */
const NO_CERTIFICATE = '--skip-ssl-verify-server-cert';
const COMMON = [
  `--defaults-file=/dev/fd/${LOGIN_FD}`,
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
  NO_CERTIFICATE,
];
/** Names in comments may have newlines. Rows are read in one transaction, a row at a time. */
const DUMP = [
  ...['--single-transaction', '--quick', '--skip-lock-tables', '--skip-add-locks'],
  ...['--skip-comments', '--skip-dump-date', '--hex-blob', '--no-tablespaces'],
];
/** The input is a customer's text: in this mode a line cannot be a command of the client, such as one for a shell. */
const LOAD = ['--batch', '--binary-mode', '--loose-sandbox', '--local-infile=0', '--skip-reconnect'];

/** A program is missing, or has failed. */
export class MariaDbFailure extends Error {
  /** The end of what the program said, which is its reason: a statement that fails is repeated before. */
  readonly said: string;

  constructor(message: string, said = '') {
    super(message);
    this.said = said;
  }
}

/** Resolves with the name of a program. Rejects with `MariaDbFailure`. */
export async function findMariaDb(which: MariaDbProgram): Promise<string> {
  for (const name of PROGRAMS[which]) {
    // perhaps under its other name; if not, that is said below
    const output = await runProgram(name, ['--version'], { timeoutMs: VERSION_MS }).catch(() => undefined);
    if (output?.code === 0 && output.stdout.includes('MariaDB')) return name;
  }
  throw new MariaDbFailure(`there is no ${PROGRAMS[which][0]} of MariaDB: ${REMEDY}`);
}

/** The tables of a database, or all, and what else `options` name, as statements. Rejects with `MariaDbFailure`. */
export async function* dumpDatabase(
  login: ServerLogin,
  { database, tables = [], options }: { database: string; tables?: readonly string[]; options: readonly string[] },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const args = [...COMMON, ...DUMP, ...options, '--', database, ...tables];
  const run = start(await findMariaDb('dump'), args, login, signal);
  const hang = () => setTimeout(run.stop, SILENCE_MS); // then its end is the error
  let hanging = hang();
  try {
    run.child.stdin?.end();
    for await (const chunk of run.child.stdout ?? []) {
      clearTimeout(hanging);
      yield chunk as Buffer;
      hanging = hang();
    }
    await run.ended;
  } finally {
    clearTimeout(hanging);
    run.stop();
  }
}

/**
 * Runs statements in a database, as the user of the login. Rejects with `MariaDbFailure` as soon as one fails, with errors of
 * `text`, and with the reason of `signal`.
 */
export async function loadDatabase(
  login: ServerLogin,
  database: string,
  text: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  limits?: ProgramLimits,
): Promise<void> {
  const args = [...COMMON, ...LOAD, `--database=${database}`];
  const run = start(await findMariaDb('load'), args, login, signal, limits);
  const { stdin, stdout } = run.child;
  const over = new AbortController();
  try {
    if (stdin === null) throw new Error('the program takes no input');
    stdout?.resume();
    stdin.on('error', () => undefined); // it takes no more, and `ended` says why
    let isWhole = false;
    const write = async () => {
      for await (const chunk of text) {
        if (stdin.destroyed) return;
        // what ends the waiting ends the program, or was its end
        if (!stdin.write(chunk)) await once(stdin, 'drain', { signal: over.signal }).catch(() => undefined);
      }
      isWhole = true;
      stdin.end();
    };
    await Promise.race([run.ended, write().then(() => run.ended)]);
    if (!isWhole) throw new MariaDbFailure('the program ended before it had read all');
  } finally {
    over.abort();
    run.stop();
  }
}

/** For `hostkeep doctor`: whether there are all programs. */
export async function describeMariaDb(): Promise<{ ok: boolean; detail: string; remedy?: string }> {
  try {
    return { ok: true, detail: `${await findMariaDb('dump')} and ${await findMariaDb('load')}` };
  } catch (error) {
    return { ok: false, detail: errorMessage(error), remedy: REMEDY };
  }
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  stop(): void;
}

function start(
  program: string,
  args: readonly string[],
  login: ServerLogin,
  signal: AbortSignal,
  limits?: ProgramLimits,
): Run {
  signal.throwIfAborted();
  const descriptor = openLogin(login);
  try {
    const child = startProgram(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', descriptor],
      diesWithParent: true,
      ...(limits && { limits }),
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-STDERR_CHARACTERS)));
    const stop = () => {
      signal.removeEventListener('abort', stop);
      if (child.exitCode === null && child.signalCode === null) killProgram(child, {});
    };
    signal.addEventListener('abort', stop);
    const ended = once(child, 'close').then(([code, by]) => {
      signal.throwIfAborted();
      if (code === 0) return;
      said = said.trim();
      throw new MariaDbFailure(`${program} ended with ${String(by ?? code)}: ${escapeControl(said)}`, said);
    });
    ended.catch(() => undefined); // for the caller
    return { child, ended, stop };
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file with a login that has no name any more. */
function openLogin({ socket, host, port, user, password }: ServerLogin): number {
  const where = socket === '' ? { host, port: String(port), protocol: 'tcp' } : { socket };
  const lines = Object.entries({ ...where, user, password }).map(([key, value]) => `${key}=${quoted(value)}`);
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-login-'));
  try {
    const file = join(folder, 'login');
    writeFileSync(file, `[client]\n${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    return openSync(file, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a value of an option file, by the rules of the servers' manuals. */
function quoted(value: string): string {
  if (/[\n\r\0]/.test(value)) throw new MariaDbFailure('the login has a line break');
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
