import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { OwnContainer } from '../../kernel/areas/containers.ts';
import { streamed, type Stream } from '../../kernel/contract/reply.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { defineJob, type JobAnswer } from '../../kernel/kit/jobs/job.ts';
import { savedHeaders } from '../../kernel/kit/net/attachment.ts';
import { AccountTransfers } from '../../kernel/kit/waiting/account-transfers.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { Log } from '../../kernel/log.ts';
import { fail } from './errors.ts';
import type readLog from './log-job.ts';

const LIMITS = { all: 8, own: 2 };
/** Each download has a process, which is of no use afterwards. */
const PROCESSES = { processes: LIMITS.all, idleMs: 1000, limits: { replyMib: 2 } };
/** As long as a slow client may take for a large log. */
const LONGEST_MS = 3_600_000;
const READ = defineJob<typeof readLog>({
  beside: import.meta.url,
  script: 'log-job',
  timeoutMs: LONGEST_MS,
  tooMuch: 'containers_unavailable',
});
const BUFFER_BYTES = 512 << 10;
/** How long the engine may take until it answers. */
const BEGIN_MS = 20_000;
/** How long a client may take nothing, while it keeps a process. */
const STALL_MS = 60_000;
const NOTHING: JobAnswer = { answer: null, bytes: Buffer.alloc(0) };

interface Wanted {
  readonly after?: string | undefined;
  readonly text?: string | undefined;
}
interface Download {
  readonly key: string;
  readonly wanted: Wanted;
  readonly content: PassThrough;
  /** Aborted when nobody takes the content any more. */
  readonly signal: AbortSignal;
}

/** Sends logs of containers whole, as they are read. */
export class LogDownloads {
  readonly #log: Log;
  readonly #shared: JobPool;
  readonly #own: JobPool;
  readonly #transfers = new AccountTransfers(LIMITS.own);

  constructor({ jobs, log }: { readonly jobs: AccountJobs; readonly log: Log }) {
    this.#log = log;
    this.#shared = jobs.open({ ...PROCESSES, name: 'container logs', bare: { user: undefined } });
    this.#own = jobs.open({ ...PROCESSES, name: 'container logs of own engines' });
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#own.close()]);
  }

  /** Resolves once the engine answers. Errors: 503 `containers_unavailable`, `overloaded`. */
  async open(container: OwnContainer, { id }: Account, name: string, wanted: Wanted): Promise<Stream> {
    const release = this.#transfers.begin(id);
    const content = new PassThrough({ highWaterMark: BUFFER_BYTES });
    const abort = new AbortController();
    content.on('error', () => undefined); // whoever reads it is told
    content.on('close', () => {
      abort.abort(new Error('nobody reads any more'));
      release();
    });
    try {
      const begun = this.#run(container, { key: `${id} ${randomUUID()}`, wanted, content, signal: abort.signal });
      await withDeadline(begun, BEGIN_MS, () => fail.containers_unavailable('the container engine does not answer'));
    } catch (error) {
      content.destroy();
      throw error;
    }
    return streamed('text/plain; charset=utf-8', content, {
      headers: { 'Cache-Control': 'no-store', ...savedHeaders(name) },
      onEnd: () => content.destroy(),
    });
  }

  /** Resolves once the engine answers, and writes what it sends. */
  async #run({ engine, listed }: OwnContainer, { key, wanted, content, signal }: Download): Promise<void> {
    const owner = await engine.owner?.();
    const pool = owner === undefined ? this.#shared : this.#own;
    const { after = '', text = '' } = wanted;
    const input = { target: engine.target, id: listed.id, after, text, timeoutMs: LONGEST_MS };
    await new Promise<void>((resolve, reject) => {
      const onAsk = async (_question: unknown, bytes: Buffer): Promise<JobAnswer> => {
        resolve();
        if (!content.write(bytes)) await withDeadline(once(content, 'drain', { signal }), STALL_MS);
        return NOTHING;
      };
      pool.run(READ, { ...owner, key }, input, { signal, onAsk }).then(
        () => content.end(),
        (cause: Error & { readonly code?: string }) => {
          if (!signal.aborted) this.#log.warn({ err: cause }, 'the log of a container was not sent whole');
          const isFull = cause.code === 'overloaded';
          reject(isFull ? cause : fail.containers_unavailable('the container engine does not send the log', { cause }));
          content.destroy(cause);
        },
      );
    });
  }
}
