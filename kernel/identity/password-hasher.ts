import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerPool } from '../concurrency/worker-pool.ts';
import { HttpError } from '../errors.ts';

/** The longest queue; beyond it, logins are rejected. At 50 ms a job, a full queue takes one core 13 s. */
const WAITING = 256;
const IDLE_MS = 30_000;

/** A password to hash, or to verify if `hash` is given. */
export type PasswordJob = { readonly password: string; readonly hash?: string };

/**
 * Hashes passwords with argon2id (OWASP: 19 MiB, 2 passes, 1 lane) in threads of the lowest priority, one fewer than
 * there are cores, so that a flood of logins slows down only logins and no other requests.
 */
export class PasswordHasher {
  readonly #pool = new WorkerPool<PasswordJob, string | boolean>({
    beside: import.meta.url,
    script: 'password-worker',
    size: Math.max(1, availableParallelism() - 1),
    atOnce: 1,
    waiting: WAITING,
    idleMs: IDLE_MS,
  });
  #dummy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    assertPassword(password);
    return this.#pool.ask({ password }) as Promise<string>;
  }

  /**
   * Resolves with whether the password matches. Without a hash, verifies against a dummy and resolves with false, so
   * that an unknown user takes as long as a known one.
   */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const isRight = await this.#pool.ask({ password, hash: hash ?? (await this.#dummyHash()) });
    return isRight === true && hash !== undefined;
  }

  #dummyHash(): Promise<string> {
    this.#dummy ??= (this.#pool.ask({ password: randomBytes(16).toString('hex') }) as Promise<string>).catch(
      (error) => {
        this.#dummy = undefined; // tries again next time: the pool may have been full only for a moment
        throw error;
      },
    );
    return this.#dummy;
  }

  /** Returns a random password of 24 characters (144 bits). */
  random(): string {
    return randomBytes(18).toString('base64url');
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Errors: 400 `invalid_request` unless the password has 8 to 128 characters. */
function assertPassword(password: string): void {
  if (password.length < 8 || password.length > 128)
    throw new HttpError('invalid_request', 'a password has 8 to 128 characters');
}
