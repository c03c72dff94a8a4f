import { escapeControl } from '../../log.ts';
import { runProgram, type ProgramResult } from '../programs/run-program.ts';
import { AGAIN, resticFail, unlessMissing } from './errors.ts';

/** A repository in a folder of the service, and its password. */
export interface Repository {
  readonly folder: string;
  readonly key: string;
}

const VERSION_MS = 10_000;
const MIB = 2 ** 20;
/** A repository has 256 folders of objects. */
const OPEN_FILES = 1024;

/** restic as the service runs it: without network, on what concerns a repository only. Errors: 503 `backups_unavailable`. */
export class ServiceRestic {
  readonly #program: string;
  readonly #memoryMib: number;
  #version: Promise<string> | undefined;

  constructor(program: string, memoryMib: number) {
    this.#program = program;
    this.#memoryMib = memoryMib;
  }

  /** Resolves with the version of the program. */
  version(): Promise<string> {
    this.#version ??= this.#findVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async run(
    { folder, key }: Repository,
    args: readonly string[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const result = await this.#run(['--no-cache', '--quiet', ...args], timeoutMs, {
      env: { RESTIC_REPOSITORY: folder, RESTIC_PASSWORD: key },
      ...(signal && { signal }),
    });
    if (result.code !== 0) throw failed(args[0] ?? '', result);
  }

  async #findVersion(): Promise<string> {
    const result = await this.#run(['version'], VERSION_MS, {});
    if (result.code !== 0) throw failed('version', result);
    return /^restic (\d[\w.]*)/.exec(result.stdout)?.[1] ?? 'unknown';
  }

  async #run(
    args: readonly string[],
    timeoutMs: number,
    options: { readonly env?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<ProgramResult> {
    const limits = { dataBytes: this.#memoryMib * MIB, openFiles: OPEN_FILES };
    try {
      return await runProgram(this.#program, args, { ...options, timeoutMs, isOffline: true, limits });
    } catch (error) {
      throw unlessMissing(this.#program, error);
    }
  }
}

function failed(what: string, { code, endedBy, stderr }: ProgramResult) {
  const cause = new Error(escapeControl(stderr.trim()));
  return resticFail.backups_unavailable(`restic ${what} ended with ${code ?? endedBy}`, { ...AGAIN, cause });
}
