/** The programs of MariaDB that write databases as statements, and run such statements. */
import { errorMessage } from '../../errors.ts';
import { writeAll } from '../waiting/byte-streams.ts';
import { runProgram } from '../programs/run-program.ts';
import type { ProgramLimits } from '../programs/start-program.ts';
import { LOGIN_FD, readOutput, startTransfer, type TransferRun } from '../programs/transfer-program.ts';

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

/** Resolves with the name of a program. Rejects with `MariaDbFailure`, also if one is there and does not answer. */
export async function findMariaDb(which: MariaDbProgram): Promise<string> {
  for (const name of PROGRAMS[which]) {
    const output = await runProgram(name, ['--version'], { timeoutMs: VERSION_MS }).catch((cause: unknown) => {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // perhaps under its other name
      throw new MariaDbFailure(`${name} --version: ${errorMessage(cause)}`);
    });
    if (output?.endedBy) throw new MariaDbFailure(`${name} --version was ended by ${output.endedBy}`);
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
  yield* readOutput(start(await findMariaDb('dump'), args, login, signal));
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
  try {
    if (stdin === null) throw new Error('the program takes no input');
    stdout?.resume();
    let isWhole = false;
    const write = async () => void (isWhole = await writeAll(stdin, text));
    await Promise.race([run.ended, write().then(() => run.ended)]);
    if (!isWhole) throw new MariaDbFailure('the program ended before it had read all');
  } finally {
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

function start(
  program: string,
  args: readonly string[],
  login: ServerLogin,
  signal: AbortSignal,
  limits?: ProgramLimits,
): TransferRun {
  const failure = (message: string, said: string) => new MariaDbFailure(message, said);
  return startTransfer(program, args, { login: optionFile(login), limits, failure }, signal);
}

/** Returns a login as the programs read it. */
function optionFile({ socket, host, port, user, password }: ServerLogin): string {
  const where = socket === '' ? { host, port: String(port), protocol: 'tcp' } : { socket };
  const lines = Object.entries({ ...where, user, password }).map(([key, value]) => `${key}=${quoted(value)}`);
  return `[client]\n${lines.join('\n')}\n`;
}

/** Returns a value of an option file, by the rules of the servers' manuals. */
function quoted(value: string): string {
  if (/[\n\r\0]/.test(value)) throw new MariaDbFailure('the login has a line break');
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
