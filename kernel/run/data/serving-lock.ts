import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../kit/files/files-root.ts';
import { assertPrivateFolder, makePrivate } from '../../kit/files/private-file.ts';
import { FileLock } from '../../workers/file-lock.ts';

/** The right to serve a data folder, held for the life of a process. */
export class ServingLock {
  readonly #lock: FileLock;
  readonly #pidFile: string;

  private constructor(lock: FileLock, pidFile: string) {
    this.#lock = lock;
    this.#pidFile = pidFile;
  }

  /** Rejects with an error that names the process if another one serves the folder. */
  static async acquire(dataDir: string): Promise<ServingLock> {
    const { file, pidFile } = filesOf(dataDir);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    assertPrivateFolder(dataDir);
    makePrivate(pidFile);
    const lock = await FileLock.open(file);
    try {
      const held = await lock.take();
      if (held !== undefined)
        throw new Error(`${holder(pidFile)} already serves the data folder ${dataDir}: stop it first`, {
          cause: held.refusal,
        });
    } catch (error) {
      await lock.close();
      throw error;
    }
    writeFileSync(pidFile, `${process.pid}\n`);
    return new ServingLock(lock, pidFile);
  }

  async release(): Promise<void> {
    rmSync(this.#pidFile, { force: true });
    await this.#lock.close();
  }
}

interface ServingProcess {
  readonly pid: number;
  /** When it began to serve, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/**
 * Returns the process that serves a data folder; `undefined` if none does. The file with its number outlives a process
 * that was killed, so the kernel's table of locks (proc_locks(5)) must name the same process.
 */
export function servingProcess(dataDir: string): ServingProcess | undefined {
  const { file, pidFile } = filesOf(dataDir);
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    const isHeld = new RegExp(` WRITE ${pid} \\w+:\\w+:${statSync(file).ino} `).test(
      readFileSync('/proc/locks', 'utf8'),
    );
    return isHeld ? { pid, sinceMs: statSync(pidFile).mtimeMs } : undefined;
  } catch (error) {
    if (!isMissing(error)) throw error; // "nobody" would let a second one begin
    return undefined;
  }
}

const filesOf = (dataDir: string) => ({ file: join(dataDir, 'serving.lock'), pidFile: join(dataDir, 'serving.pid') });

function holder(pidFile: string): string {
  try {
    return `process ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)}`;
  } catch {
    return 'another process'; // which is about to end
  }
}
