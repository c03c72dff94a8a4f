import type { Account } from '../../kernel/identity/accounts/account.ts';
import { SharedCounter, topic } from '../../kernel/contract/workers.ts';
import { Stream, type Sink } from '../../kernel/contract/reply.ts';
import { EventStreams } from '../../kernel/kit/waiting/event-stream.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { parseLine } from './site-logs/line.ts';
import type { Kind } from './site-logs/segments.ts';
import type { LogFilter } from './site-logs/filter.ts';

interface Lines {
  readonly key: string;
  readonly lines: readonly string[];
  /** Older ones that are left out, so that a busy site does not fill the memory of its viewers. */
  readonly skipped: number;
}

const LINES = topic<Lines>('log lines');
/** Lines of a site in one event. */
const MOST_LINES = 200;

/** Sends the lines of a site to who watches it, in all processes of the node. */
export class LiveLogs extends EventStreams {
  readonly #workers: Host['workers'];
  readonly #limits: { readonly all: number; readonly own: number };
  readonly #watchers: SharedCounter;
  readonly #listeners = new Map<string, Set<(lines: Lines) => void>>();
  readonly #stops: readonly (() => void)[];
  #id = 0;

  constructor({ workers }: Pick<Host, 'workers'>, limits: { readonly all: number; readonly own: number }) {
    const counter = new SharedCounter(workers, 'log streams');
    super(counter);
    this.#workers = workers;
    this.#limits = limits;
    this.#watchers = new SharedCounter(workers, 'log watchers');
    this.#stops = [
      workers.subscribe(LINES, (lines) => this.#deliver(lines)),
      () => this.#watchers.close(),
      () => counter.close(),
    ];
  }

  override close(): void {
    super.close();
    for (const stop of this.#stops) stop();
  }

  /** Whether somebody watches a log, in any process. */
  isWatched(domainId: number, kind: Kind): boolean {
    return this.#watchers.of(keyOf(domainId, kind)) > 0;
  }

  publish(domainId: number, kind: Kind, lines: readonly string[]): void {
    const shown = lines.slice(-MOST_LINES);
    const message = { key: keyOf(domainId, kind), lines: shown, skipped: lines.length - shown.length };
    this.#deliver(message);
    this.#workers.publish(LINES, message);
  }

  /** Returns a stream of the lines that come from now on. Errors: 503 `overloaded`. */
  open({ id }: Account, domainId: number, kind: Kind, filter: LogFilter): Stream {
    const key = keyOf(domainId, kind);
    const open = this.opening<Sink>(id, this.#limits, (sink) => {
      const release = this.#watchers.add(key);
      const listener = ({ lines, skipped }: Lines) => {
        const shown = lines.map((line) => parseLine(kind, line)).filter((line) => filter.takes(line));
        if (sink.isBehind || (shown.length === 0 && skipped === 0)) return;
        this.#id += 1;
        sink.write(`id: ${this.#id}\nevent: lines\ndata: ${JSON.stringify({ lines: shown, skipped })}\n\n`);
      };
      const listeners = this.#listeners.get(key) ?? new Set();
      this.#listeners.set(key, listeners.add(listener));
      return () => {
        release();
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(key);
      };
    });
    return new Stream('text/event-stream', open);
  }

  #deliver(lines: Lines): void {
    for (const listener of this.#listeners.get(lines.key) ?? []) listener(lines);
  }
}

const keyOf = (domainId: number, kind: Kind): string => `${domainId} ${kind}`;
