import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerPool } from '../concurrency/worker-pool.ts';
import { HttpError } from '../errors.ts';

/** How many verifications may wait; beyond it logins are refused at once. At 50 ms each this is 13 s of one core. */
const WAITING = 256;
const IDLE_MS = 30_000;

/** Without a hash the password is hashed, with one it is verified against it. */
export type PasswordJob = { readonly password: string; readonly hash?: string };

/**
 * Hashes passwords with argon2id (OWASP: 19 MiB, 2 passes, 1 lane) in threads of the lowest priority, one fewer
 * than there are cores, so that a storm of logins takes its time from itself and not from other requests.
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

  /** Without a hash a dummy is verified, so that an unknown user costs as much time as a known one; the answer is then no. */
  async verify(password: string, hash: string | undefined): Promise<boolean> {
    const isRight = await this.#pool.ask({ password, hash: hash ?? (await this.#dummyHash()) });
    return isRight === true && hash !== undefined;
  }

  #dummyHash(): Promise<string> {
    this.#dummy ??= (this.#pool.ask({ password: randomBytes(16).toString('hex') }) as Promise<string>).catch(
      (error) => {
        this.#dummy = undefined; // a pool that is full for a moment must not refuse unknown names for ever
        throw error;
      },
    );
    return this.#dummy;
  }

  /** A random password of 24 characters (144 bits). */
  random(): string {
    return randomBytes(18).toString('base64url');
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** 8 to 128 characters. Errors: 400 `invalid_request`. */
function assertPassword(password: string): void {
  if (password.length < 8 || password.length > 128)
    throw new HttpError('invalid_request', 'a password has 8 to 128 characters');
}
