import { once } from 'node:events';
import type { Log } from '../../log.ts';
import type { Ports, ToSupervisor, ToWorker } from '../../workers/messages.ts';
import { Semaphores } from '../../workers/semaphores.ts';
import type { HeldPorts } from './held-ports.ts';
import { WorkerProcess } from './worker-process.ts';
import { WORKER_EXITED } from '../../workers/topic.ts';

/** A worker that ends sooner is replaced after a pause, which doubles each time. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that leaves so many pings unanswered hangs: ten seconds, by default. */
const PING_MS = 1000;
const PINGS = 10;
/** The signals that ask for the end. */
const STOPS = new Set<string>(['SIGTERM', 'SIGINT']);

interface SupervisorParts {
  readonly count: number;
  /** Starts a process with a channel. */
  readonly start: () => ConstructorParameters<typeof WorkerProcess>[1];
  readonly settings: unknown;
  readonly log: Log;
  /** Keeps clients waiting at these ports while no worker serves. */
  readonly holdAt?: (ports: Ports) => Pick<HeldPorts, 'hold' | 'release' | 'close'>;
  /** How often workers are asked whether they hang. */
  readonly pingMs?: number;
}

/**
 * Starts the workers of a node, replaces those that end or hang, and passes on what they say to each other. The first one starts
 * alone, because it may have to migrate the store; if a worker cannot start while no other serves, all end.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #semaphores = new Semaphores();
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #pauses = new Map<number, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Those that start once another one serves. */
  readonly #waiting = new Set<number>();
  #held: ReturnType<NonNullable<SupervisorParts['holdAt']>> | undefined;
  /** Resolves with the exit code when all have ended. */
  readonly ended: Promise<number>;
  #end: (code: number) => void = () => undefined;
  #settings: unknown;
  #ports: Ports = {};
  #exitCode = 0;
  #isStopping = false;
  #reloading: Promise<void> = Promise.resolve();
  #onServing: () => void = () => undefined;
  #pinging: NodeJS.Timeout | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#settings = parts.settings;
    this.ended = new Promise((resolve) => {
      this.#end = (code) => void Promise.resolve(this.#held?.close()).then(() => resolve(code));
    });
  }

  /** Starts the workers, unless it was stopped before. */
  start(): void {
    if (this.#isStopping) return;
    this.#pinging = setInterval(() => this.#ping(), this.#parts.pingMs ?? PING_MS);
    void this.ended.then(() => clearInterval(this.#pinging));
    this.#start(1);
  }

  /** Stops all workers, which finish the requests that they accepted; see `ended`. */
  stop(): void {
    this.#isStopping = true;
    this.#held?.release();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const worker of this.#workers.values()) worker.send({ kind: 'stop' });
    if (this.#workers.size === 0) this.#end(this.#exitCode);
  }

  /** Kills all workers; those of a supervisor that fails must not serve on. */
  kill(): void {
    for (const { child } of this.#workers.values()) child.kill('SIGKILL');
  }

  /**
   * Has one worker try the settings, as soon as one serves; if it refuses them, all keep the old ones. Otherwise the others
   * follow, and one that cannot is replaced. The outcome is recorded at the end.
   */
  reload(settings: unknown): Promise<void> {
    return (this.#reloading = this.#reloading.then(() => this.#reload(settings)));
  }

  /** Has a worker record that a configuration was refused before any of them saw it. */
  refuse(reason: string): Promise<void> {
    return (this.#reloading = this.#reloading.then(() => this.#record(reason)));
  }

  async #reload(settings: unknown): Promise<void> {
    const first = await this.#anyServing();
    const refusal = await first.reload(settings);
    if (refusal !== undefined) return this.#record(refusal);
    this.#settings = settings;
    await Promise.all(this.#serving().map((worker) => this.#follow(worker))); // some may serve only since then
    return this.#record(undefined);
  }

  async #follow(worker: WorkerProcess): Promise<void> {
    if (worker.settings === this.#settings) return;
    const refusal = await worker.reload(this.#settings);
    if (refusal === undefined) return;
    this.#parts.log.error({ worker: worker.number }, `a worker refused what others accepted: ${refusal}; replacing it`);
    worker.send({ kind: 'stop' });
  }

  async #record(refusal: string | undefined): Promise<void> {
    const first = await this.#anyServing();
    first.send({ kind: 'record', refusal });
  }

  /** Waits until a worker serves; only one reload waits at a time. */
  async #anyServing(): Promise<WorkerProcess> {
    for (;;) {
      const [first] = this.#serving();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => (this.#onServing = resolve));
    }
  }

  /**
   * Kills those that hang. What counts is answers, not time: a machine that was paused has nobody killed. A start may take long,
   * but not once all are to end.
   */
  #ping(): void {
    for (const worker of this.#isStopping ? this.#workers.values() : this.#serving())
      if (worker.unanswered < PINGS) worker.ping();
      else {
        this.#parts.log.error({ worker: worker.number }, 'a worker hangs; killing it');
        worker.child.kill('SIGKILL');
        worker.unanswered = 0;
      }
  }

  #serving(): WorkerProcess[] {
    return [...this.#workers.values()].filter(({ isServing }) => isServing);
  }

  #start(number: number): void {
    const { count, start } = this.#parts;
    const isFirst = this.#workers.size === 0 && this.#held === undefined; // those that hold the ports listen at them
    const worker = new WorkerProcess(number, start(), this.#settings);
    this.#workers.set(number, worker);
    worker.child.on('message', (message) => this.#receive(worker, message as ToSupervisor));
    void once(worker.child, 'close').then(
      () => this.#gone(worker),
      (error: unknown) => this.#gone(worker, error),
    );
    worker.send({ kind: 'start', number, count, settings: this.#settings, ports: this.#ports, isFirst });
  }

  #receive(worker: WorkerProcess, message: ToSupervisor): void {
    switch (message.kind) {
      case 'serving':
        return this.#served(worker, message.ports);
      case 'pong':
        worker.unanswered = 0;
        return;
      case 'reloaded':
        return worker.reloaded(message.refusal);
      case 'acquire':
        return worker.acquire(this.#semaphores, message);
      case 'release':
        return worker.release(message.id);
      case 'publish':
        return this.#publish(worker, { kind: 'published', topic: message.topic, value: message.value });
      case 'query':
        return this.#query(worker, message.id, message.topic);
      case 'respond':
        return this.#workers.get(message.to)?.send({ kind: 'responded', id: message.id, answer: message.answer });
    }
  }

  #served(worker: WorkerProcess, ports: Ports): void {
    worker.isServing = true;
    this.#ports = ports;
    this.#onServing();
    if (this.#isStopping) return;
    this.#held ??= this.#parts.holdAt?.(ports);
    this.#held?.release();
    const { count, log } = this.#parts;
    for (let number = 1; number <= count; number += 1)
      if (this.#waiting.delete(number) || !(this.#workers.has(number) || this.#pauses.has(number))) this.#start(number);
    this.#reloading = this.#reloading.then(() => this.#follow(worker)); // there may have been a reload while it started
    if (this.#serving().length === count) log.info({ workers: count }, 'all workers serve');
  }

  #publish(from: WorkerProcess | undefined, message: ToWorker): void {
    for (const worker of this.#workers.values()) if (worker !== from) worker.send(message);
  }

  #query(from: WorkerProcess, id: string, topic: string): void {
    for (let number = 1; number <= this.#parts.count; number += 1) {
      const worker = this.#workers.get(number);
      if (worker === from) continue;
      if (worker?.isServing === true) worker.send({ kind: 'queried', id, from: from.number, topic });
      else from.send({ kind: 'responded', id, answer: { worker: number, problem: 'does not run' } });
    }
  }

  #gone(worker: WorkerProcess, error?: unknown): void {
    const { number, child, startedAt, isServing } = worker;
    this.#workers.delete(number);
    worker.gone();
    this.#publish(undefined, { kind: 'published', topic: WORKER_EXITED.name, value: number });
    const cause = { worker: number, exit_code: child.exitCode, signal: child.signalCode, err: error };
    if (!this.#isStopping && !isServing && this.#serving().length === 0) {
      this.#exitCode = child.exitCode || 1;
      this.#isStopping = true;
      this.stop();
    }
    if (this.#isStopping) {
      // A service manager signals all processes: one that had just begun does not handle the signal yet.
      const hasHeeded = !isServing && STOPS.has(child.signalCode ?? '');
      if (child.exitCode !== 0 && !hasHeeded) this.#exitCode ||= child.exitCode ?? 1;
      if (this.#workers.size === 0) this.#end(this.#exitCode);
      return;
    }
    if (this.#serving().length === 0) this.#held?.hold();
    const wasSteady = performance.now() - startedAt > STEADY_MS;
    const pauseMs = wasSteady ? 0 : Math.max(FIRST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseOf(number)));
    this.#pauses.set(number, pauseMs);
    this.#parts.log.error({ ...cause, pause_ms: pauseMs }, 'a worker ended; replacing it');
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#replace(number);
    }, pauseMs);
    this.#timers.add(timer);
  }

  /** Starts a worker. While none serves, one starts at a time: clients wait for it, and it has the processors for itself. */
  #replace(number: number): void {
    if (this.#workers.size > 0 && this.#serving().length === 0) this.#waiting.add(number);
    else this.#start(number);
  }

  #pauseOf(number: number): number {
    return this.#pauses.get(number) ?? 0;
  }
}
