import { errorMessage } from '../../kernel/errors.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import type { Driver } from './drivers.ts';

const OUTPUT_BYTES = 1 << 20;

/** The commands of the web server. */
export class WebServerCommands {
  readonly #driver: Driver;
  readonly #timeoutMs: number;

  constructor(driver: Driver, timeoutMs: number) {
    this.#driver = driver;
    this.#timeoutMs = timeoutMs;
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
