import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../../identity/accounts/account.ts';
import { EventStreams, formatEvent } from '../../kit/waiting/event-stream.ts';
import { LogThrottle } from '../../log.ts';
import type { Host } from '../../contract/plugin.ts';
import { Stream, type Sink } from '../../contract/reply.ts';
import { SharedCounter } from '../../contract/workers.ts';
import type { AccountTask } from './task-store.ts';

const LIMITS = { all: 200, own: 5 };
/** A process records no more often how far a task is, which may be another than the one that has the client. */
const POLL_MS = 1000;

/** Sends the tasks of accounts as they change. They are read again once the client has taken what came before. */
export class TaskFollowers {
  readonly #streams: EventStreams;
  readonly #list: (account: Account) => Promise<readonly AccountTask[]>;
  readonly #log: Host['log'];
  readonly #throttle = new LogThrottle();

  constructor(
    { workers, onClose, log }: Pick<Host, 'workers' | 'onClose' | 'log'>,
    name: string,
    list: (account: Account) => Promise<readonly AccountTask[]>,
  ) {
    const counter = new SharedCounter(workers, name);
    onClose(() => counter.close());
    this.#streams = new EventStreams(counter);
    onClose(() => this.#streams.close());
    this.#list = list;
    this.#log = log;
  }

  /** Returns a stream of all tasks, and of those that change. Errors: 503 `overloaded`. */
  open(account: Account): Stream {
    const open = this.#streams.opening(account.id, LIMITS, (sink: Sink) => {
      const ended = new AbortController();
      void this.#follow(account, sink, ended.signal);
      return () => ended.abort();
    });
    return new Stream('text/event-stream', open);
  }

  async #follow(account: Account, sink: Sink, signal: AbortSignal): Promise<void> {
    let known = new Map<string, string>();
    for (let sent = 0; !signal.aborted;) {
      if (!sink.isBehind) {
        try {
          const told = new Map((await this.#list(account)).map((task) => [task.id, JSON.stringify(task)]));
          const changed = [...told].filter(([id, text]) => known.get(id) !== text).map(([, text]) => text);
          const tasks = changed.map((text) => JSON.parse(text) as AccountTask);
          if (!signal.aborted && (sent === 0 || tasks.length > 0))
            sink.write(formatEvent('tasks', (sent += 1), { tasks }));
          known = told;
        } catch (error) {
          if (this.#throttle.isDue('list')) this.#log.warn({ err: error }, 'the tasks of an account could not be read');
          sink.end(); // the client comes again
          return;
        }
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined); // it is aborted: the stream has ended
    }
  }
}
