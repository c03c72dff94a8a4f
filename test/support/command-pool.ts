import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { endsWithTests } from './child.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that `command-host.ts` is asked to run. */
export interface AskedCommand {
  /** The path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly input: string;
}

/** How it ended. */
export interface EndedCommand {
  readonly code: number;
  /** Whether it left nothing open in its process, which then can run others. */
  readonly isReusable: boolean;
}

/** Follows what a command writes. */
export const END = '\0';

const HOST = join(import.meta.dirname, 'command-host.js');
const idle: CommandHost[] = [];

/** Runs a command in a process that may have run others before, and that no other command uses meanwhile. */
export async function runInPool(asked: AskedCommand): Promise<Outcome> {
  const host = idle.pop() ?? new CommandHost();
  const { isReusable, ...outcome } = await host.run(asked);
  if (isReusable) idle.push(host);
  return outcome;
}

class CommandHost {
  readonly #child: ChildProcess = endsWithTests(spawn(process.execPath, [HOST], { stdio: 'pipe' }));

  /** Resolves with the exit code of the process. */
  readonly #ended = new Promise<number>((resolve) => this.#child.once('close', (code) => resolve(code ?? 1)));

  constructor() {
    this.#child.stdin?.on('error', () => {}); // its end says what became of it
  }

  async run(asked: AskedCommand): Promise<Outcome & EndedCommand> {
    this.#hold(true);
    const outputs = Promise.all([this.#output('stdout'), this.#output('stderr')]);
    this.#child.stdin?.write(`${JSON.stringify(asked)}\n`);
    const [[stdout, last = ''], [stderr]] = await outputs;
    // Without a last line its process has ended, as that of a command that throws where nobody catches it.
    const { code, isReusable } =
      last === '' ? { code: await this.#ended, isReusable: false } : (JSON.parse(last) as EndedCommand);
    this.#hold(false);
    return { code, isReusable, stdout, stderr };
  }

  /** Resolves with what is written up to the end of the command or of the process, and with what follows the end. */
  #output(name: 'stdout' | 'stderr'): Promise<[text: string, last?: string]> {
    const stream = this.#child[name] as Socket;
    let text = '';
    return new Promise((resolve) => {
      const finish = () => {
        stream.off('data', read).off('close', finish);
        const [written = '', ...last] = text.split(END);
        resolve([written, ...last] as [string, string?]);
      };
      const read = (chunk: string) => {
        text += chunk;
        if (text.includes(END) && (name === 'stderr' || text.endsWith('\n'))) finish();
      };
      stream.setEncoding('utf8').on('data', read).once('close', finish);
    });
  }

  /** A process that waits for commands does not keep this one alive. */
  #hold(isHeld: boolean): void {
    for (const each of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr] as Socket[])
      if (isHeld) each.ref();
      else each.unref();
  }
}
