import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertPrivateFolder, makePrivate } from '../system/private-file.ts';
import { Connection } from './connection.ts';

/**
 * The right to serve a data folder, held for the life of a process. Node.js has no `flock`, so it is a transaction of
 * SQLite on an empty file: the system ends it with the process, however that ends.
 */
export class ServingLock {
  readonly #connection: Connection;
  readonly #pidFile: string;

  private constructor(connection: Connection, pidFile: string) {
    this.#connection = connection;
    this.#pidFile = pidFile;
  }

  /** Rejects with an error that names the process if another one serves the folder. */
  static async acquire(dataDir: string): Promise<ServingLock> {
    const [file, pidFile] = [join(dataDir, 'serving.lock'), join(dataDir, 'serving.pid')];
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    assertPrivateFolder(dataDir);
    for (const each of [file, pidFile]) makePrivate(each);
    const connection = await Connection.open(file, ['busy_timeout=0']);
    try {
      await connection.script('pragma journal_mode=memory; begin exclusive');
    } catch (error) {
      await connection.close();
      if ((error as { readonly code?: unknown }).code !== 'SQLITE_BUSY') throw error;
      throw new Error(`${holder(pidFile)} already serves the data folder ${dataDir}: stop it first`, { cause: error });
    }
    writeFileSync(pidFile, `${process.pid}\n`);
    return new ServingLock(connection, pidFile);
  }

  async release(): Promise<void> {
    rmSync(this.#pidFile, { force: true });
    await this.#connection.close();
  }
}

function holder(pidFile: string): string {
  try {
    return `process ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)}`;
  } catch {
    return 'another process'; // which is about to end
  }
}
