/** The programs of MariaDB that write and read the text of tables. */
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { killProgram, startProgram, type ChildProcess } from '../../kernel/kit/programs/start-program.ts';
import type { ServerLogin } from '../../kernel/contract/points/database-servers.ts';
import { toolFailure } from './vanished.ts';
import { fail } from './errors.ts';

/** Newer names first. */
const PROGRAMS = { dump: ['mariadb-dump', 'mysqldump'], load: ['mariadb', 'mysql'] } as const;
export type Tool = keyof typeof PROGRAMS;
const TOOLS_REMEDY = 'apt-get install mariadb-client';

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
/** Only tables and their rows: names in comments may have newlines, and triggers would run while rows are loaded. */
const DUMP = [
  ...['--single-transaction', '--quick', '--skip-lock-tables', '--skip-add-locks', '--skip-triggers'],
  ...['--skip-comments', '--skip-dump-date', '--hex-blob', '--no-tablespaces'],
];
/** The input is a customer's text: in this mode a line cannot be a command of the client, such as one for a shell. */
const LOAD = ['--batch', '--binary-mode', '--local-infile=0'];

/** Resolves with the name of a program of MariaDB. Errors: 503 `databases_unavailable`. */
export async function toolFor(tool: Tool): Promise<string> {
  for (const name of PROGRAMS[tool]) {
    const output = await runProgram(name, ['--version'], { timeoutMs: VERSION_MS }).catch(() => undefined);
    if (output?.code === 0 && output.stdout.includes('MariaDB')) return name;
  }
  throw fail.databases_unavailable(`there is no ${PROGRAMS[tool][0]} of MariaDB: ${TOOLS_REMEDY}`);
}

/** Tables of one database, and their rows, as statements. */
export async function* dumped(
  login: ServerLogin,
  database: string,
  tables: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const run = start(await toolFor('dump'), [...COMMON, ...DUMP, '--', database, ...tables], login, signal);
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

/** Runs such statements in a database. */
export async function load(login: ServerLogin, database: string, text: Readable, signal: AbortSignal): Promise<void> {
  const run = start(await toolFor('load'), [...COMMON, ...LOAD, `--database=${database}`], login, signal);
  try {
    run.child.stdout?.resume();
    const { stdin } = run.child;
    if (stdin === null) throw new Error('the program takes no input');
    const chunks = text.iterator({ destroyOnReturn: false }); // who sends it is to be answered if the program ends early
    const [ended, written] = await Promise.allSettled([run.ended, pipeline(chunks, stdin, { signal })]);
    signal.throwIfAborted();
    if (ended.status === 'rejected') throw ended.reason; // which is why it takes no more
    if (written.status === 'rejected') throw written.reason;
  } finally {
    run.stop();
  }
}

/** For `hostkeep doctor`: whether there are all programs. */
export async function toolsFinding(): Promise<Finding> {
  const name = 'programs that move databases';
  try {
    return { name, ok: true, detail: `${await toolFor('dump')} and ${await toolFor('load')}` };
  } catch (error) {
    return { name, ok: false, isWarning: true, detail: errorMessage(error), remedy: TOOLS_REMEDY };
  }
}

interface Run {
  readonly child: ChildProcess;
  /** Errors: 503 `databases_unavailable`, with what the program says. */
  readonly ended: Promise<void>;
  stop(): void;
}

function start(program: string, args: readonly string[], login: ServerLogin, signal: AbortSignal): Run {
  signal.throwIfAborted();
  const descriptor = openLogin(login);
  try {
    const child = startProgram(program, args, { stdio: ['pipe', 'pipe', 'pipe', descriptor], diesWithParent: true });
    let said = '';
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (said = `${said}${text}`.slice(0, STDERR_CHARACTERS)));
    const stop = () => {
      signal.removeEventListener('abort', stop);
      if (child.exitCode === null && child.signalCode === null) killProgram(child, {});
    };
    signal.addEventListener('abort', stop);
    const ended = once(child, 'close').then(([code, by]) => {
      signal.throwIfAborted();
      if (code === 0) return;
      throw toolFailure(program, String(by ?? code), escapeControl(said.trim()));
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
  if (/[\n\r\0]/.test(value)) throw fail.databases_unavailable('the login has a line break');
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
