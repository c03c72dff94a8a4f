import { fail, errorMessage } from '../../../kernel/errors.ts';
import { ready, type Reply } from '../../../kernel/contract/reply.ts';
import { formatEvent } from '../../../kernel/kit/waiting/event-stream.ts';
import { toLoad, type CpuLoad, type Load, type MemorySpace, type Partition } from '../../../kernel/areas/machine.ts';
import { memoryReply } from './memory-reply.ts';

/** A value or the error that prevented it, and the reply, which is serialized once on first use. */
class Figure<T> {
  readonly value: T | undefined;
  readonly #cause: unknown;
  readonly #body: (value: T) => unknown;
  #reply: Reply | undefined;

  constructor(result: PromiseSettledResult<T>, body: (value: T) => unknown) {
    this.value = result.status === 'fulfilled' ? result.value : undefined;
    this.#cause = result.status === 'rejected' ? result.reason : undefined;
    this.#body = body;
  }

  /** Errors: 503 where the figure could not be read. */
  get reply(): Reply {
    if (this.value === undefined)
      throw fail.feature_unavailable(`this figure cannot be read on this host: ${errorMessage(this.#cause)}`, {
        retryAfterSeconds: 5,
        cause: this.#cause,
      });
    this.#reply ??= ready(this.#body(this.value));
    return this.#reply;
  }

  /** The content of the reply; `null` where the figure could not be read. */
  get body(): unknown {
    return this.value === undefined ? null : this.#body(this.value);
  }
}

/** The figures of the host at one moment; immutable. */
export class Sample {
  /** Milliseconds since 1970, later than that of any earlier sample. */
  readonly at: number;
  /** Time since the previous sample, over which the load is measured. */
  readonly spanMs: number;
  /** Whether the span is short enough for a current figure; other samples are for the history only. */
  readonly isLive: boolean;
  readonly cpu: Figure<CpuLoad>;
  readonly memory: Figure<MemorySpace>;
  readonly disks: Figure<readonly Partition[]>;
  #event: string | undefined;

  constructor(parts: {
    at: number;
    spanMs: number;
    isLive: boolean;
    cpu: PromiseSettledResult<CpuLoad>;
    memory: PromiseSettledResult<MemorySpace>;
    disks: PromiseSettledResult<readonly Partition[]>;
  }) {
    this.at = parts.at;
    this.spanMs = parts.spanMs;
    this.isLive = parts.isLive;
    this.cpu = new Figure(parts.cpu, ({ cores }) => cores);
    this.memory = new Figure(parts.memory, memoryReply);
    this.disks = new Figure(parts.disks, (partitions) => partitions);
  }

  /** The sample as a server-sent event, whose id is its time. */
  get event(): string {
    if (this.#event === undefined) {
      const { at, cpu, memory, disks } = this;
      const data = { at: new Date(at).toISOString(), cpu: cpu.body, memory: memory.body, disk: disks.body };
      this.#event = formatEvent('sample', at, data);
    }
    return this.#event;
  }

  get percents(): Load {
    return toLoad(this.cpu.value, this.memory.value, this.disks.value);
  }
}
