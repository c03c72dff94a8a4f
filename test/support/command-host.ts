/**
 * The program of a process that runs commands of `hostkeep` one after another, each as if it had a process of its own: most of
 * what a command costs is reading the code. `command-pool.ts` starts it. It reads an `AskedCommand` in each line of its input;
 * the command's output goes where a process writes its own, and ends with `END` and, on standard output, an `EndedCommand`.
 */
import { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { END, type AskedCommand, type EndedCommand } from './command-pool.ts';

/** Thrown in place of ending the process. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const { stdout, stderr } = process; // made when they are first asked for, and open from then on
const lines = createInterface({ input: process.stdin });
const end = process.exit.bind(process);
let count = 0;
lines.on('close', () => end());
for await (const line of lines) {
  const ended = await run(JSON.parse(line) as AskedCommand);
  stderr.write(END);
  stdout.write(`${END}${JSON.stringify(ended)}\n`);
  if (!ended.isReusable) end();
}

async function run({ program, args, environment, input }: AskedCommand): Promise<EndedCommand> {
  const before = openKinds();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    await import(`${pathToFileURL(program).href}?${(count += 1)}`); // the program itself is run anew
    while (!isQuiet(before)) await new Promise((resolve) => setTimeout(resolve, 1)); // a process ends only then
    return { code: Number(process.exitCode ?? 0), isReusable: true };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    await new Promise(setImmediate);
    return { code: error.code, isReusable: isQuiet(before) };
  } finally {
    stdout.removeAllListeners('error');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal);
  }
}

/** What keeps the process alive, in order. */
function openKinds(): string[] {
  return process.getActiveResourcesInfo().toSorted();
}

/** Whether nothing keeps the process alive that did not before. */
function isQuiet(before: readonly string[]): boolean {
  const left = [...before];
  return openKinds().every((kind) => {
    const index = left.indexOf(kind);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}
