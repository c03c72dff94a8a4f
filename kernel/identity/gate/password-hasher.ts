import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WorkerPool } from '../../kit/waiting/worker-pool.ts';
import { fail } from '../../errors.ts';

/** Waiting tasks of one client, and of all in a lane. As clients take turns, a long queue delays only those that fill it. */
const WAITING = { waiting: 128, waitingOfAll: 4096 };
const IDLE_MS = 30_000;

/** For whom a password is hashed, and in which lane of the queue. */
export interface HashLane {
  /** The account, or the network of a client that has no session. */
  readonly client: number | string;
  /** Whether no others can crowd it out. */
  readonly isReserved: boolean;
  /** Takes the task out of the queue while it waits. */
  readonly signal?: AbortSignal;
}
/** For the command line and the start, which have nobody to compete with. */
const OPERATOR: HashLane = { client: 'operator', isReserved: true };

/** A password to hash, or to verify if `hash` is given. */
export type PasswordJob = { readonly password: string; readonly hash?: string };

const THREADS = Math.max(1, availableParallelism() - 1);

/**
 * Hashes passwords with argon2id (OWASP: 19 MiB, 2 passes, 1 lane) in threads of a lower priority, one fewer than
 * there are cores, so that a flood of logins slows down only logins and no other requests. Clients that wait take turns.
 */
export class PasswordHasher {
  readonly #pool: WorkerPool<PasswordJob, string | boolean>;
  #dummy: Promise<string> | undefined;

  /** `share` is this process's part of what the node may have. */
  constructor(share = (number: number) => number) {
    const size = share(THREADS);
    this.#pool = new WorkerPool({
      beside: import.meta.url,
      script: 'password-worker',
      size,
      perClient: Math.max(1, size - 1),
      ...WAITING,
      idleMs: IDLE_MS,
    });
  }

  /** Errors: 400 `invalid_request` for a password of a wrong length; 503 `overloaded`. */
  async hash(password: string, lane = OPERATOR): Promise<string> {
    assertPassword(password);
    return (await this.#pool.ask({ password }, lane)) as string;
  }

  /**
   * Resolves with whether the password matches. Without a hash, verifies against a dummy and resolves with false, so
   * that an unknown user takes as long as a known one. Errors: 503 `overloaded`.
   */
  async verify(password: string, hash: string | undefined, lane = OPERATOR): Promise<boolean> {
    const isRight = await this.#pool.ask({ password, hash: hash ?? (await this.#dummyHash()) }, lane);
    return isRight === true && hash !== undefined;
  }

  #dummyHash(): Promise<string> {
    this.#dummy ??= this.hash(randomBytes(16).toString('hex')).catch((error: unknown) => {
      this.#dummy = undefined; // tries again next time
      throw error;
    });
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
  if (password.length < 8 || password.length > 128) throw fail.invalid_request('a password has 8 to 128 characters');
}
