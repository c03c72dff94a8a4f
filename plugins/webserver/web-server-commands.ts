import { readFileSync } from 'node:fs';
import { errorMessage } from '../../kernel/errors.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import type { Driver } from './drivers.ts';

const OUTPUT_BYTES = 1 << 20;
/** The title of nginx's main process begins with it. */
const MAIN_PROCESS = 'nginx: master process ';

/** The commands of the web server. */
export class WebServerCommands {
  readonly #driver: Driver;
  readonly #timeoutMs: number;

  constructor(driver: Driver, timeoutMs: number) {
    this.#driver = driver;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Has the server read its configuration again. Rejects as `run` does. `nginx -s reload` reads the configuration before it signals
   * the server, which reads it once more: where the server is known, both read at the same time.
   */
  async reload(): Promise<void> {
    await this.run(this.signal() ? 'check' : 'reload');
  }

  /** Signals the main process of nginx to read the configuration again. Returns `false` where none is known. */
  signal(): boolean {
    const { pidFile } = this.#driver;
    if (pidFile === '') return false;
    try {
      const pid = Number(readFileSync(pidFile, 'utf8'));
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(MAIN_PROCESS)) return false; // the number is another's now
      return process.kill(pid, 'SIGHUP');
    } catch {
      return false; // it does not run, or not as this file says: the command of the reload tells
    }
  }

  /** Resolves with what the server prints. Rejects with its message, such as that about an invalid configuration. */
  async run(which: 'check' | 'reload' | 'version'): Promise<string> {
    const command = this.#driver[which];
    const [program = '', ...args] = command;
    const failed = (why: string, cause?: unknown) => new Error(`${command.join(' ')}: ${why}`, { cause });
    const { code, endedBy, stdout, stderr } = await runProgram(program, args, {
      timeoutMs: this.#timeoutMs,
      stdoutBytes: OUTPUT_BYTES,
      stderrCharacters: OUTPUT_BYTES,
      exception: 'web server',
    }).catch((error: unknown) => {
      throw failed(errorMessage(error), error);
    });
    if (code === 0) return stdout + stderr;
    if (endedBy === 'SIGKILL') throw failed('timed out');
    throw failed(stderr.trim() || `ended with ${endedBy ?? code}`);
  }
}
