import { makePrivate } from '../kit/files/private-file.ts';
import { Connection } from '../store/sqlite/connection.ts';

/**
 * A lock that the system ends with its process, however that ends. Node.js has no `flock`, so it is a transaction of SQLite
 * on an empty file, readable by its owner only.
 */
export class FileLock {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(file: string): Promise<FileLock> {
    makePrivate(file);
    return new FileLock(await Connection.open(file, ['busy_timeout=0']));
  }

  /** Takes the lock until `close`; resolves with the reason if another process has it. */
  async take(): Promise<{ readonly refusal: unknown } | undefined> {
    try {
      await this.#connection.script('pragma journal_mode=memory; begin exclusive');
      return undefined;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'SQLITE_BUSY') throw error;
      return { refusal: error };
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
