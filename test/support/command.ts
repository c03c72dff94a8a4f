import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';
import { endsWithTests, untilRead } from './child.ts';
import { runInPool, type AskedCommand, type Outcome } from './command-pool.ts';
import { FILES_ROOT } from './hostkeep.ts';
import { testStore } from './postgres.ts';

/** The program beside the tests, which runs jobs of theirs. */
export const OWN_CLI = join(import.meta.dirname, '../../kernel/run/main.js');
/** The program that tests start: that of a package if the variable names it. */
export const CLI = process.env['HOSTKEEP_TEST_CLI'] ?? OWN_CLI;

/** Commands that serve, and end with their process. */
const SERVING = ['serve', 'worker', 'broker', 'demo'];

/**
 * Runs `hostkeep` with a data folder and waits for its end: in a process of its own if it serves, or if the program is another
 * one, else in one that may have run other commands before.
 */
export function hostkeep(
  data: string,
  args: readonly string[],
  input = '',
  program = CLI,
  over: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const environment = { ...environmentOf(data), ...over };
  const isAlone = program !== CLI || 'NODE_OPTIONS' in over || SERVING.some((name) => args.includes(name));
  return (isAlone ? runAlone : runInPool)({ program, args, environment, input });
}

/** Runs a command in a process of its own. */
export function runAlone({ program, args, environment, input }: AskedCommand): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.on('error', () => undefined).end(input); // a command need not read what it is given
  });
}

/** Starts `hostkeep` and waits for a line of its output; the process keeps running. */
export async function start(
  data: string,
  args: readonly string[],
  until: RegExp,
  over: NodeJS.ProcessEnv = {},
  cli = CLI,
): Promise<{ child: ChildProcess; output: () => string; line: (pattern: RegExp) => Promise<RegExpMatchArray> }> {
  const child = endsWithTests(
    spawn(process.execPath, [cli, ...args], {
      env: { ...environmentOf(data), ...over },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
    'SIGTERM', // a demo then ends what it started
  );
  let text = '';
  const line = async (pattern: RegExp): Promise<RegExpMatchArray> => {
    for (;;) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) await untilRead(() => text);
      const match = text.match(pattern);
      if (match !== null) return match;
      if (hasEnded) throw new Error(`hostkeep ended with ${child.exitCode ?? child.signalCode}: ${text}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await line(until);
  return { child, output: () => text, line };
}

/** Hides the machine's own servers from the command. */
export function environmentOf(data: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: data,
    MYSQL_UNIX_PORT: '/nonexistent/mysqld.sock',
    HOSTKEEP_DATA: data,
    HOSTKEEP_FILES_ROOT: FILES_ROOT,
    HOSTKEEP_LISTEN: '127.0.0.1:0',
    HOSTKEEP_ADMIN_LISTEN: '127.0.0.1:0',
    HOSTKEEP_STORE_URL: testStore(data).store?.url,
  };
}
