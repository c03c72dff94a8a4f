import { isReachable } from '../../../kernel/kit/files/if-missing.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { defineJob, type JobOwner } from '../../../kernel/kit/jobs/job.ts';
import type { EngineAccess } from '../../../kernel/areas/containers.ts';
import type engineJob from './engine-job.ts';
import type { EngineAnswers, EngineOutput, EngineQuestionKind, EngineQuestions } from './engine-job.ts';
import type { EngineTarget } from '../../../kernel/kit/engine/engine-library.ts';

export interface EngineOptions extends EngineTarget {
  /** Runs the process that speaks with the engine. */
  readonly pool: JobPool;
  /** Resolves with the account whose own engine it is. Rejects if there is none. */
  readonly owner?: () => Promise<JobOwner>;
  readonly timeoutMs: number;
  readonly onFirstAnswer?: () => void;
}

interface AskOptions {
  /** The account that the question is for; without one it is for all, and goes first. */
  readonly client?: number;
  readonly timeoutMs?: number;
  /** Sent with the question. */
  readonly bytes?: Uint8Array;
}

/** Questions to one engine at once; some engines delay a request for statistics by up to a second. */
export const QUESTIONS_AT_ONCE = 100;
/** Of them, those for one account, so that containers that do not answer delay no other. */
const PER_CLIENT = 50;
const WAITING = 2000;
/** The time that a process has beyond the engine's, for its own start and for the wait among other questions. */
const PROCESS_MS = 5000;

/** There was no answer in time, which a busy machine may make of any. */
export class EngineLate extends Error {}

/** Questions to one engine, answered by a process that reaches only its socket. Answers are bounded in time and size. */
export class EngineClient {
  readonly socketPath: string;
  readonly isOwn: boolean;
  readonly access: EngineAccess;
  /** Number of questions to the engine. */
  requests = 0;
  #hasAnswered = false;
  readonly #options: EngineOptions;
  readonly #queue = new FairQueue({ slots: QUESTIONS_AT_ONCE, perClient: PER_CLIENT, waiting: WAITING });

  constructor(options: EngineOptions) {
    this.#options = options;
    this.socketPath = options.socketPath;
    this.isOwn = options.ownBeside !== null;
    const { socketPath, ownBeside, owner } = options;
    this.access = { target: { socketPath, ownBeside }, ...(owner && { owner }) };
  }

  /** Rejects when the engine has no answer, or none that is usable, and with `EngineLate`; the timeout does not include the wait for others. */
  async ask<K extends EngineQuestionKind>(
    kind: K,
    question: EngineQuestions[K],
    { client, timeoutMs = this.#options.timeoutMs, bytes }: AskOptions = {},
  ): Promise<EngineAnswers[K]> {
    const output = await this.#queue
      .run(client ?? '', () => this.#run(kind, question, timeoutMs, bytes), {
        isReserved: client === undefined,
      })
      .catch((cause: unknown) => {
        throw new EngineLate(`the process for the engine at ${this.socketPath} has no answer: ${errorMessage(cause)}`, {
          cause,
        });
      });
    if (!output.ok) throw output.isLate ? new EngineLate(output.message) : new Error(output.message);
    if (!this.#hasAnswered && kind !== 'load') {
      this.#hasAnswered = true;
      this.#options.onFirstAnswer?.();
    }
    return output.answer;
  }

  /** Whether there is anything at the path of the socket. */
  hasSocket(): Promise<boolean> {
    return isReachable(this.socketPath);
  }

  /** Starts the process if the socket exists, so that the first question need not wait for it. */
  async preload(): Promise<void> {
    if (await this.hasSocket()) await this.ask('load', {});
  }

  async #run<K extends EngineQuestionKind>(
    kind: K,
    question: EngineQuestions[K],
    timeoutMs: number,
    bytes: Uint8Array | undefined,
  ): Promise<EngineOutput<K>> {
    const { pool, owner, socketPath, ownBeside } = this.#options;
    if (kind !== 'load') this.requests += 1;
    const job = defineJob<typeof engineJob<K>>({
      beside: import.meta.url,
      script: 'engine-job',
      timeoutMs: timeoutMs + PROCESS_MS,
      tooMuch: 'containers_unavailable',
    });
    const input = { kind, question, timeoutMs, target: { socketPath, ownBeside } };
    return pool.run(job, (await owner?.()) ?? { key: socketPath }, input, bytes === undefined ? {} : { bytes });
  }
}
