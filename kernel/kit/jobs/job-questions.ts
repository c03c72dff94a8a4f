/** Questions that jobs ask their callers, on both sides of the channel. */
import { describeFailure, JOB_QUESTIONS } from './job.ts';
import type { JobAnswer, JobAnswered, JobQuestion, JobRunOptions } from './job.ts';

type Send<M> = (message: M, bytes?: Uint8Array) => void;
interface Waiting {
  resolve(answer: JobAnswer): void;
  reject(error: Error): void;
}

/** Whether a message to the process of jobs answers a question. */
export const isAnswer = (message: unknown): message is JobAnswered =>
  typeof message === 'object' && message !== null && 'answers' in message;

/** The questions that the process of jobs asks. */
export class JobQuestions {
  readonly #send: Send<JobQuestion>;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor(send: Send<JobQuestion>) {
    this.#send = send;
  }

  /** `id` is that of the job's request. See `JobContext.ask`. */
  ask(id: number, question: unknown, bytes?: Uint8Array): Promise<JobAnswer> {
    return new Promise((resolve, reject) => {
      const asks = this.#next++;
      this.#waiting.set(asks, { resolve, reject });
      this.#send({ id, asks, question }, bytes);
    });
  }

  take({ answers, answer, error }: JobAnswered, bytes: Buffer): void {
    const asked = this.#waiting.get(answers);
    this.#waiting.delete(answers);
    if (error === undefined) return asked?.resolve({ answer, bytes });
    const { message, code, retryAfter } = error;
    // as an `HttpError`, whose table of codes only the service has
    asked?.reject(Object.assign(new Error(message), { code, headers: retryAfter && { 'Retry-After': retryAfter } }));
  }
}

/** Answers the questions of one job. */
export class JobAnswers {
  readonly #onAsk: NonNullable<JobRunOptions['onAsk']>;
  readonly #send: Send<JobAnswered>;
  #open = 0;

  constructor(onAsk: NonNullable<JobRunOptions['onAsk']>, send: Send<JobAnswered>) {
    this.#onAsk = onAsk;
    this.#send = send;
  }

  /** Returns false for a question too many. */
  take({ asks, question }: JobQuestion, bytes: Buffer): boolean {
    if (this.#open >= JOB_QUESTIONS) return false;
    this.#open += 1;
    void this.#answer(asks, question, bytes).finally(() => (this.#open -= 1));
    return true;
  }

  async #answer(answers: number, question: unknown, given: Buffer): Promise<void> {
    try {
      const { answer, bytes } = await this.#onAsk(question, given);
      this.#send({ answers, answer }, bytes);
    } catch (error) {
      this.#send({ answers, error: describeFailure(error) });
    }
  }
}
