import { createServer, type Server, type Socket } from 'node:net';
import { fail, HttpError, errorMessage } from '../../kernel/errors.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { BrokerProgress, BrokerReply, BrokerRequest } from './launcher.ts';
import { JobChannel } from '../../kernel/kit/jobs/job-channel.ts';
import type { Followed, GivingRequest } from '../../kernel/kit/jobs/owners/given-files.ts';
import type { ControlGroups } from '../../kernel/kit/programs/control-groups.ts';
import { withoutSecrets, type Log } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/kit/files/project-dir.ts';
import { readAccount, readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import type { Identified } from '../../kernel/kit/jobs/job.ts';
import { StartedJobs, type PathTo } from './started-jobs.ts';

/**
 * Does something with the broker's rights. Checks its arguments itself, because a caller's checks do not count. The signal is
 * aborted when the caller is gone.
 */
export type Verb = (args: unknown, followed: Followed) => Promise<unknown>;

/** Several times a full batch of virtual hosts. */
const MAX_REQUEST_BYTES = 4 * 2 ** 20;
/** Each process of jobs has one. */
const CONNECTIONS = 2000;
/** Characters of the arguments in the log. */
const LOGGED = 1000;
const REMOVE_MS = 60_000;
/** Folders in each other, and files that are given at a time. */
const [DEEPEST, MOST_GIVEN] = [2048, 10_000_000];

/**
 * The process with rights: it does what its verbs say, and nothing else, for callers that may open its socket. It starts
 * processes that open customers' files, but opens none itself.
 */
export class Broker {
  readonly #own: ReadonlyMap<string, Verb>;
  #verbs: ReadonlyMap<string, Verb>;
  readonly #started: StartedJobs;
  readonly #jobs: AccountJobs;
  readonly #log: Log;
  readonly #server: Server;

  /** `verbs` are those besides its own, by name. */
  constructor(jobs: AccountJobs, groups: ControlGroups, verbs: ReadonlyMap<string, Verb>, log: Log) {
    this.#jobs = jobs;
    this.#log = log;
    this.#started = new StartedJobs(jobs, groups, log);
    this.#own = new Map<string, Verb>([
      ['version', async () => VERSION],
      ['set-aside', (args) => jobs.setAside(readAccount(args))],
      ['remove-files', (args) => jobs.removeFiles(readAccount(args), AbortSignal.timeout(REMOVE_MS))],
      ['give-files', (args, followed) => jobs.giveFiles(...readGiving(args), followed)],
    ]);
    this.#verbs = verbs;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = CONNECTIONS;
  }

  /** Accepts connections at a path, or at a descriptor that already listens. Rejects if it cannot. */
  listen(at: { readonly path: string } | { readonly fd: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(at, resolve);
    });
  }

  /** Replaces the verbs; calls in progress go on with the old ones. */
  use(verbs: ReadonlyMap<string, Verb>): void {
    this.#verbs = verbs;
  }

  /** Ends all that it started. */
  async close(): Promise<void> {
    this.#server.close();
    this.#started.killAll();
    await this.#jobs.close();
  }

  #accept(socket: Socket): void {
    let then: { onMessage(): void; onClose(): void } | undefined;
    let isFirst = true;
    const abort = new AbortController();
    const channel = new JobChannel(socket, {
      maxBytes: MAX_REQUEST_BYTES,
      onMessage: (message) => {
        if (!isFirst) return then?.onMessage();
        isFirst = false;
        const { verb, args } = message as Partial<BrokerRequest>;
        if (verb === 'attach') return this.#attach(channel, args);
        void this.#answer(
          channel,
          String(verb),
          async () => {
            if (verb !== 'run') return this.#verbOf(verb)(args, { signal: abort.signal, onProgress });
            const pathTo: PathTo = async ({ id: accountId }, { plugin, name }) => {
              const path = await this.#verbOf(`${plugin}.folder`)(
                { accountId, name },
                { signal: abort.signal, onProgress },
              );
              return readText(path, /^\/[^\0]+$/); // the plugin is as trustworthy as this process
            };
            const prepared = await this.#started.prepare(args, channel, pathTo);
            if (abort.signal.aborted) prepared.onClose();
            else then = prepared;
            return prepared.token;
          },
          args,
        );
      },
      onClose: (fault) => {
        if (fault !== undefined) this.#log.warn({ err: fault }, 'closed a connection');
        abort.abort(new Error('the caller is gone'));
        then?.onClose();
      },
    });
    const onProgress = (progress: unknown) => channel.send({ progress } satisfies BrokerProgress);
  }

  #attach(channel: JobChannel, token: unknown): void {
    try {
      this.#started.attach(channel.release(), token);
    } catch (error) {
      this.#log.warn({ verb: 'attach', err: error }, 'refused');
    }
  }

  async #answer(channel: JobChannel, verb: string, work: () => Promise<unknown>, args: unknown): Promise<void> {
    const entry = { verb, args: withoutSecrets(args)?.slice(0, LOGGED) };
    try {
      const output = await work();
      this.#log.info(entry, 'done');
      channel.send({ ok: true, output } satisfies BrokerReply);
    } catch (error) {
      this.#log.warn({ ...entry, err: error }, 'refused or failed');
      const code = error instanceof HttpError ? error.code : undefined;
      channel.send({ ok: false, code, message: errorMessage(error) } satisfies BrokerReply);
    }
  }

  #verbOf(verb: unknown): Verb {
    const known = this.#own.get(String(verb)) ?? this.#verbs.get(String(verb));
    if (known === undefined) throw fail.invalid_request(`there is no verb ${String(verb)}`);
    return known;
  }
}

function readGiving(args: unknown): [Identified, GivingRequest] {
  const { account, components, names } = readMembers(args, ['account', 'components', 'names']);
  const request = {
    components: readList(components, DEEPEST, (name) => readText(name, /^(?!\.\.?$)[^/\0]{1,255}$/)),
    names: readInteger(names, 1, MOST_GIVEN),
  };
  return [readAccount(account), request];
}
