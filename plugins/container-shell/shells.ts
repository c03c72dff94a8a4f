import { randomUUID } from 'node:crypto';
import type { OwnContainer } from '../../kernel/areas/containers.ts';
import type { SharedCounter } from '../../kernel/contract/workers.ts';
import { WebSocketReply, type SocketClient, type SocketMessage } from '../../kernel/contract/web-socket.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../kernel/kit/jobs/job-pool.ts';
import { defineJob, type JobAnswer } from '../../kernel/kit/jobs/job.ts';
import { assertRoom } from '../../kernel/kit/waiting/event-stream.ts';
import type { Log } from '../../kernel/log.ts';
import { parseSize, type ShellEnd } from './schema.ts';
import type shell from './shell-job.ts';
import type { ShellAnswer, ShellQuestion } from './shell-job.ts';

const LIMITS = { all: 20, own: 3 };
/** Each shell has a process, which is of no use afterwards. */
const PROCESSES = { processes: LIMITS.all, idleMs: 1000, limits: { memoryMib: 128, replyMib: 2 } };
const OPEN_MS = 15_000;
/** From the end of the client to that of the process, which has hung up by then. */
const CLOSE_MS = 15_000;
const LONGEST_MS = 8 * 3_600_000;
const SHELL = defineJob<typeof shell>({
  beside: import.meta.url,
  script: 'shell-job',
  timeoutMs: LONGEST_MS + 60_000,
  tooMuch: 'containers_unavailable',
});
const NOTHING = new Uint8Array();

interface ShellsParts {
  readonly jobs: AccountJobs;
  readonly counter: SharedCounter;
  readonly log: Log;
  readonly idleMs: number;
}
interface ShellOptions {
  readonly account: Account;
  /** See `ShellInput`. */
  readonly user: string;
  readonly onOpen: () => Promise<void>;
  /** Called after `onOpen` only. */
  readonly onClose: (seconds: number) => Promise<void>;
}

/** The open shells of this process. */
export class Shells {
  readonly #parts: ShellsParts;
  readonly #shared: JobPool;
  readonly #own: JobPool;

  constructor(parts: ShellsParts) {
    this.#parts = parts;
    this.#shared = parts.jobs.open({ ...PROCESSES, name: 'shells', bare: { user: undefined } });
    this.#own = parts.jobs.open({ ...PROCESSES, name: 'shells of own engines' });
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#own.close()]);
  }

  /** Returns the WebSocket of a shell. Errors: 503 `overloaded`. */
  open(container: OwnContainer, options: ShellOptions): WebSocketReply {
    const { counter, log } = this.#parts;
    const key = String(options.account.id);
    assertRoom(counter, key, LIMITS);
    return new WebSocketReply((client) => {
      if (counter.total >= LIMITS.all || counter.of(key) >= LIMITS.own) {
        void this.#end(client, { ended: 'overloaded' }); // others came between
        return () => undefined;
      }
      const release = counter.add(key);
      const gone = new AbortController();
      const run = async () => {
        try {
          await this.#end(client, await this.#run(container, client, gone.signal, options));
        } catch (error) {
          log.warn({ err: error, container: container.listed.id }, 'a shell was lost');
          await this.#end(client, { ended: 'lost' });
        } finally {
          release();
        }
      };
      void run();
      return () => gone.abort();
    });
  }

  async #end(client: SocketClient, end: ShellEnd): Promise<void> {
    await client.send(JSON.stringify(end));
    client.close();
  }

  async #run(
    { engine, listed }: OwnContainer,
    client: SocketClient,
    gone: AbortSignal,
    { account, user, onOpen, onClose }: ShellOptions,
  ): Promise<ShellEnd> {
    const given = await engine.owner?.();
    const owner = { ...given, key: `${account.id} ${randomUUID()}` };
    const killed = new AbortController();
    const talk = new ShellTalk(client, gone, this.#parts.idleMs);
    let openedAt: number | undefined;
    const opening = setTimeout(() => killed.abort(), OPEN_MS);
    const longest = setTimeout(() => talk.end('time'), LONGEST_MS).unref();
    let closing: NodeJS.Timeout | undefined;
    void talk.over.then(() => (closing = setTimeout(() => killed.abort(), CLOSE_MS).unref()));
    const onAsk = async (question: unknown, bytes: Buffer): Promise<JobAnswer> => {
      if (question !== 'opened') return talk.answer(question as ShellQuestion, bytes);
      clearTimeout(opening);
      const isFirst = openedAt === undefined;
      openedAt ??= performance.now();
      if (isFirst) await onOpen();
      return { answer: null, bytes: NOTHING };
    };
    try {
      const pool = given === undefined ? this.#shared : this.#own;
      const input = { target: engine.target, id: listed.id, user };
      const end = await pool.run(SHELL, owner, input, { signal: killed.signal, onAsk, isUrgent: true });
      return talk.reason === undefined ? end : { ended: talk.reason };
    } finally {
      for (const timer of [opening, longest, closing]) clearTimeout(timer);
      talk.end('lost');
      if (openedAt !== undefined) await onClose(Math.round((performance.now() - openedAt) / 1000));
    }
  }
}

/** Answers a shell's process for its client, until the client goes or time is up. */
class ShellTalk {
  readonly #client: SocketClient;
  readonly #messages: AsyncIterator<SocketMessage>;
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | undefined;
  #resolve: () => void = () => undefined;
  /** Resolves when the shell is to end. */
  readonly over = new Promise<void>((resolve) => (this.#resolve = resolve));
  /** Why, if not because the client went. */
  reason: 'idle' | 'time' | undefined;

  constructor(client: SocketClient, gone: AbortSignal, idleMs: number) {
    this.#client = client;
    this.#messages = client.messages[Symbol.asyncIterator]();
    this.#idleMs = idleMs;
    gone.addEventListener('abort', () => this.#stop(), { once: true });
    if (gone.aborted) this.#stop();
    else this.#wait();
  }

  end(reason: 'idle' | 'time' | 'lost'): void {
    if (reason !== 'lost') this.reason ??= reason;
    this.#stop();
  }

  async answer(question: ShellQuestion, bytes: Buffer): Promise<JobAnswer> {
    if (question === 'output') await this.#client.send(bytes);
    else if (question === 'input') return this.#input();
    else await this.over;
    return { answer: null, bytes: NOTHING };
  }

  async #input(): Promise<JobAnswer> {
    const { value, done } = await this.#messages.next();
    if (done === true) return { answer: 'end' satisfies ShellAnswer, bytes: NOTHING };
    this.#wait();
    const { bytes, isText } = value as SocketMessage;
    if (!isText) return { answer: null, bytes };
    const size = parseSize(Buffer.from(bytes).toString());
    if (size === undefined) this.#client.close();
    return { answer: (size ?? 'end') satisfies ShellAnswer, bytes: NOTHING };
  }

  #wait(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end('idle'), this.#idleMs).unref();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    this.#resolve();
  }
}
