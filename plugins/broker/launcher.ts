import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { fail, HttpError, isErrorCode, errorMessage } from '../../kernel/errors.ts';
import { JobChannel } from '../../kernel/kit/jobs/job-channel.ts';
import type { JobEnd, JobLimits, LaunchedJob } from '../../kernel/kit/jobs/job-launch.ts';
import type { Identified, JobOwner } from '../../kernel/kit/jobs/job.ts';
import type { ProcessorTime } from '../../kernel/kit/programs/processor-time.ts';
import type { Followed, GivenFiles, GivingRequest } from '../../kernel/kit/jobs/owners/given-files.ts';
import type { Removal } from '../../kernel/kit/jobs/remove-tree.ts';
import type { Launcher } from '../../kernel/kit/jobs/launcher.ts';

/** A message to the broker. */
export interface BrokerRequest {
  readonly verb: string;
  readonly args: unknown;
}
/** The broker's answer to a `BrokerRequest`. */
export type BrokerReply =
  | { readonly ok: true; readonly output?: unknown }
  | { readonly ok: false; readonly code?: string | undefined; readonly message: string };
/** A message of the broker before its answer: how far the work is. */
export interface BrokerProgress {
  readonly progress: unknown;
}
/** Messages of the broker about a process that it started, after the answer to `run`. */
export type JobMessage =
  { readonly isAttached: true } | { readonly processorTime: ProcessorTime } | { readonly ended: JobEnd };

const MAX_REPLY_BYTES = 80 * 2 ** 20;
const CONNECT_MS = 5000;
const RELOAD_MS = 10_000;
const REMOVE_MS = 120_000;
/** More than the job takes before it is ended; its caller ends it before if it stands still. */
const GIVE_MS = 3_700_000;
/** Without an answer, a job is taken for one that lacks processor time, as the broker does. */
const PROCESSOR_TIME_MS = 5000;
const UNKNOWN: ProcessorTime = { isRunning: true, seconds: 0 };

/** The broker, the process with the rights that this one does without, as its callers see it. */
export class BrokerClient implements Launcher {
  readonly #socket: string;

  /** `socket` is the path of its Unix socket. */
  constructor(socket: string) {
    this.#socket = socket;
  }

  async call(
    verb: string,
    args: unknown,
    timeoutMs: number,
    signal?: AbortSignal,
    onProgress: (progress: unknown) => void = () => undefined,
  ): Promise<unknown> {
    const connection = new Connection(this.#socket);
    connection.onProgress = onProgress;
    try {
      return await withDeadline(connection.ask({ verb, args }, signal), timeoutMs);
    } catch (error) {
      if (error instanceof HttpError) throw error;
      signal?.throwIfAborted();
      throw unavailable(error);
    } finally {
      connection.close();
    }
  }

  version(): Promise<string> {
    return this.call('version', null, CONNECT_MS) as Promise<string>;
  }

  async reload(): Promise<void> {
    await this.call('reload', null, RELOAD_MS);
  }

  setAside({ id, username }: Identified): Promise<{ readonly hadFiles: boolean; readonly problem?: string }> {
    return this.call('set-aside', { id, username }, REMOVE_MS) as Promise<{ hadFiles: boolean }>;
  }

  async removeFiles({ id, username }: Identified, signal: AbortSignal): Promise<Removal> {
    for (let removed = 0; ;) {
      const removal = (await this.call('remove-files', { id, username }, REMOVE_MS)) as Removal;
      removed += removal.removed;
      if (removal.isComplete || signal.aborted) return { ...removal, removed };
    }
  }

  async giveFiles({ id, username }: Identified, request: GivingRequest, followed: Followed): Promise<GivenFiles> {
    const args = { account: { id, username }, ...request };
    return (await this.call('give-files', args, GIVE_MS, followed.signal, followed.onProgress)) as GivenFiles;
  }

  launch({ id, username }: Identified, owner: JobOwner, limits: JobLimits): LaunchedJob {
    const { state = null, folder = null, makesRoot = false } = owner;
    const control = new Connection(this.#socket);
    let report: (time: ProcessorTime) => void = () => undefined;
    let attached: () => void = () => undefined;
    const isAttached = new Promise<void>((resolve) => (attached = resolve));
    const ended = new Promise<JobEnd>((resolve) => {
      control.onMessage = (message) => {
        if ('isAttached' in message) attached();
        if ('processorTime' in message) report(message.processorTime);
        if ('ended' in message) resolve(message.ended);
      };
      control.onClose = (error) => resolve({ text: error.message, isKilled: true });
    });
    const open = async (): Promise<Duplex> => {
      const { replyMib: _, ...system } = limits;
      const args = { account: { id, username }, state, folder, makesRoot, limits: system };
      const token = await control.ask({ verb: 'run', args });
      const socket = connect(this.#socket);
      await once(socket, 'connect');
      new JobChannel(socket, { maxBytes: 0, onMessage: () => undefined, onClose: () => undefined }).release({
        verb: 'attach',
        args: token,
      } satisfies BrokerRequest);
      void ended.then(() => socket.destroy());
      await Promise.race([isAttached, ended.then(({ text }) => Promise.reject(new Error(text)))]);
      return socket;
    };
    return {
      connection: withDeadline(open(), CONNECT_MS),
      ended,
      processorTime: () => {
        const reported = new Promise<ProcessorTime>((resolve) => (report = resolve));
        control.send({ verb: 'processor-time', args: null });
        // too late an answer: the caller asks again
        return withDeadline(reported, PROCESSOR_TIME_MS).catch(() => UNKNOWN);
      },
      kill: () => control.close(),
      ref: (isKept) => control.ref(isKept),
    };
  }
}

export default (socket: string): Launcher => new BrokerClient(socket);

/** One connection to the broker. */
class Connection {
  onProgress: (progress: unknown) => void = () => undefined;
  onMessage: (message: JobMessage) => void = () => undefined;
  /** Called at its end, with the reason. */
  onClose: (error: Error) => void = () => undefined;
  readonly #socket: Socket;
  readonly #channel: JobChannel;
  #answer: ((reply: BrokerReply) => void) | undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(path: string) {
    this.#socket = connect(path);
    let failure = new Error('the broker closed the connection');
    this.#socket.once('error', (error) => (failure = error));
    this.#channel = new JobChannel(this.#socket, {
      maxBytes: MAX_REPLY_BYTES,
      onMessage: (message) => {
        if ('progress' in (message as object)) return this.onProgress((message as BrokerProgress).progress);
        const answer = this.#answer;
        this.#answer = undefined;
        if (answer === undefined) this.onMessage(message as JobMessage);
        else answer(message as BrokerReply);
      },
      onClose: (fault) => {
        this.#fail(fault ?? failure);
        this.onClose(fault ?? failure);
      },
    });
  }

  /** Sends the first message, and resolves with the answer to it. */
  async ask(request: BrokerRequest, signal?: AbortSignal): Promise<unknown> {
    const abort = () => this.close();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const reply = await new Promise<BrokerReply>((resolve, reject) => {
        [this.#answer, this.#fail] = [resolve, reject];
        this.send(request);
      });
      if (reply.ok) return reply.output;
      if (reply.code !== undefined && isErrorCode(reply.code)) throw new HttpError(reply.code, reply.message);
      throw new Error(reply.message);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  send(request: BrokerRequest): void {
    this.#channel.send(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  ref(isKept: boolean): void {
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }
}

function unavailable(cause: unknown): HttpError {
  return fail.broker_unavailable(`the broker: ${errorMessage(cause)}`, { retryAfterSeconds: 5, cause });
}
