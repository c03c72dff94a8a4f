import { HttpError, errorMessage } from '../../errors.ts';
import { FairQueue } from '../waiting/fair-queue.ts';
import { databaseFail } from './errors.ts';

const RETRY_SECONDS = 5;
/** At one server: what may run at once, of one account, and what may wait. */
const QUEUE = { slots: 8, perClient: 1, waiting: 16, waitingOfAll: 256 } as const;

/** Tells the errors of a driver apart. */
interface Driver {
  /** Whether an error is the server's, or one of the connection to it. */
  readonly isFailure: (error: Error) => boolean;
  /** Whether the server has refused a statement. */
  readonly isVerdict: (error: unknown) => boolean;
}

/** Has what accounts do at their database servers take turns, at each server by itself. */
export class ServerTurns {
  readonly #queues = new Map<string, FairQueue>();
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /**
   * Runs `work` after what else is done for the account at the server of a name. Errors: 503 `databases_unavailable` for what the server
   * refuses for reasons of its own, and if it does not answer; 503 `overloaded`. What may take long has turns of its own, by `kind`.
   */
  run<T>(server: string, accountId: number, work: () => Promise<T>, kind: 'short' | 'query' = 'short'): Promise<T> {
    const key = `${server} ${kind}`;
    const queue = this.#queues.get(key) ?? new FairQueue(QUEUE);
    this.#queues.set(key, queue);
    return queue.run(accountId, () => this.judged(server, work));
  }

  /** Runs `work` at once. Errors: as those of `run`, without the queue's. */
  async judged<T>(server: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof HttpError || !(error instanceof Error) || !this.#driver.isFailure(error)) throw error;
      const cause = new Error(`${server}: ${errorMessage(error)}`, { cause: error });
      const detail = this.#driver.isVerdict(error)
        ? 'the database server refuses this'
        : 'the database server does not answer';
      throw databaseFail.databases_unavailable(detail, { retryAfterSeconds: RETRY_SECONDS, cause });
    }
  }
}
