import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { SharedCounter } from '../../../kernel/contract/workers.ts';
import { Stream } from '../../../kernel/contract/reply.ts';
import { EventStreams, parseLastEventId } from '../../../kernel/kit/waiting/event-stream.ts';
import type { RecentSamples } from './recent-samples.ts';
import type { Sample } from './sample.ts';

/** The most open streams of all accounts, of one user and of one administrator. */
type StreamLimits = Readonly<Record<'streams' | 'streams_of_user' | 'streams_of_admin', number>>;

/** Sends each sample to all open streams. A client that does not keep up loses samples. */
export class Broadcast extends EventStreams {
  readonly #recent: RecentSamples;
  readonly #limits: StreamLimits;

  constructor(recent: RecentSamples, limits: StreamLimits, counter: SharedCounter) {
    super(counter);
    this.#recent = recent;
    this.#limits = limits;
  }

  sendSample(sample: Sample): void {
    if (sample.isLive && this.size > 0) this.send(sample.event);
  }

  /**
   * Returns a stream that begins with the samples missed since `lastEventId`, or without one with the newest, if there is any
   * that is fresh. Errors: 503 `overloaded`.
   */
  open(lastEventId: string, { id, role }: Account, newest?: Sample): Stream {
    const { streams, streams_of_user, streams_of_admin } = this.#limits;
    const limits = { all: streams, own: role === 'admin' ? streams_of_admin : streams_of_user };
    const fresh = newest === undefined ? [] : [newest];
    const open = this.opening(id, limits, (sink) => {
      const last = parseLastEventId(lastEventId);
      for (const sample of last === undefined ? fresh : this.#recent.after(last)) if (!sink.write(sample.event)) break;
      return undefined;
    });
    return new Stream('text/event-stream', open);
  }
}
