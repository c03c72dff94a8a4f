import { withDeadline } from '../kit/waiting/deadline.ts';
import { errorMessage } from '../errors.ts';
import type { StartMessage, ToSupervisor, ToWorker } from './messages.ts';
import type { Release } from './semaphores.ts';
import type { Topic } from './topic.ts';
import type { Answer, Workers } from './workers.ts';

const ANSWER_MS = 2000;

/** The process that a supervisor started, as this end of the channel needs it. */
type Self = Pick<NodeJS.Process, 'on' | 'once' | 'pid'> & { send?: NodeJS.Process['send'] };

/** Orders of a supervisor. */
interface Orders {
  stop(): void;
  /** Resolves with why the configuration was refused; `undefined` if it is in force. */
  reload(settings: unknown): Promise<string | undefined>;
  record(refusal: string | undefined): Promise<void>;
}

/** A worker's end of the channel to its supervisor. The process ends when the channel does, because others may then serve. */
export class WorkerChannel implements Workers {
  readonly count: number;
  readonly number: number;
  readonly #self: Self;
  readonly #grants = new Map<string, () => void>();
  readonly #queries = new Map<string, (answer: Answer) => void>();
  readonly #listeners = new Map<string, Set<(value: unknown) => void>>();
  readonly #answers = new Map<string, () => unknown>();
  #ids = 0;
  /** Messages that came before anybody followed. */
  #early: ToWorker[] | undefined = [];
  #orders: Orders | undefined;

  private constructor(self: Self, { number, count }: StartMessage) {
    this.#self = self;
    this.number = number;
    this.count = count;
    self.on('message', (message: unknown) => this.#receive(message as ToWorker));
  }

  /** Waits for the supervisor's first message. Rejects if there is no supervisor. */
  static async open(self: Self): Promise<{ channel: WorkerChannel; start: StartMessage }> {
    if (self.send === undefined) throw new Error('only `hostkeep serve` starts workers');
    return new Promise((resolve) => {
      self.once('message', (message: unknown) => {
        const start = message as StartMessage;
        resolve({ channel: new WorkerChannel(self, start), start });
      });
    });
  }

  /** Follows the supervisor from now on. */
  obey(orders: Orders): void {
    this.#orders = orders;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.#receive(message);
  }

  /** Sends nothing once the supervisor has ended, as this process is about to. */
  send(message: ToSupervisor): void {
    this.#self.send?.(message, undefined, undefined, () => undefined);
  }

  perWorker(number: number): number {
    return Math.max(1, Math.floor(number / this.count));
  }

  acquire(name: string, most: number): Promise<Release> {
    const id = this.#nextId();
    return new Promise((resolve) => {
      this.#grants.set(id, () => resolve(() => this.send({ kind: 'release', id })));
      this.send({ kind: 'acquire', id, name, most });
    });
  }

  publish<T>({ name: topic }: Topic<T>, value: T): void {
    this.send({ kind: 'publish', topic, value });
  }

  subscribe<T>({ name: topic }: Topic<T>, listener: (value: T) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    const each = (value: unknown) => listener(value as T);
    this.#listeners.set(topic, listeners.add(each));
    return () => void listeners.delete(each);
  }

  async query<T>({ name: topic }: Topic<T>): Promise<Answer<T>[]> {
    const id = this.#nextId();
    const answers = new Map<number, Answer<T>>();
    const complete = new Promise<void>((resolve) => {
      this.#queries.set(id, (answer) => {
        answers.set(answer.worker, answer as Answer<T>);
        if (answers.size === this.count - 1) resolve();
      });
    });
    this.send({ kind: 'query', id, topic });
    await withDeadline(complete, ANSWER_MS).catch(() => undefined); // who did not answer is said below
    this.#queries.delete(id);
    const others = Array.from({ length: this.count }, (_, i) => i + 1).filter((each) => each !== this.number);
    return others.map((worker) => answers.get(worker) ?? { worker, problem: `no answer within ${ANSWER_MS / 1000} s` });
  }

  respond<T>({ name: topic }: Topic<T>, answer: () => T | Promise<T>): () => void {
    this.#answers.set(topic, answer);
    return () => {
      if (this.#answers.get(topic) === answer) this.#answers.delete(topic);
    };
  }

  #nextId(): string {
    return `${this.#self.pid} ${(this.#ids += 1)}`;
  }

  #receive(message: ToWorker): void {
    if (message.kind === 'ping') return this.send({ kind: 'pong' });
    const orders = this.#orders;
    if (orders === undefined) return void this.#early?.push(message);
    switch (message.kind) {
      case 'stop':
        return orders.stop();
      case 'reload':
        return void orders.reload(message.settings).then((refusal) => this.send({ kind: 'reloaded', refusal }));
      case 'record':
        return void orders.record(message.refusal);
      case 'acquired':
        this.#grants.get(message.id)?.();
        return void this.#grants.delete(message.id);
      case 'published':
        for (const listener of this.#listeners.get(message.topic) ?? []) listener(message.value);
        return;
      case 'queried':
        return void this.#respond(message);
      case 'responded':
        return this.#queries.get(message.id)?.(message.answer);
      case 'start':
        return;
    }
  }

  async #respond({ id, from, topic }: ToWorker & { readonly kind: 'queried' }): Promise<void> {
    const worker = this.number;
    let answer: Answer;
    try {
      const known = this.#answers.get(topic);
      if (known === undefined) throw new Error(`does not know ${topic}`);
      answer = { worker, value: await known() };
    } catch (error) {
      answer = { worker, problem: errorMessage(error) };
    }
    this.send({ kind: 'respond', id, to: from, answer });
  }
}
