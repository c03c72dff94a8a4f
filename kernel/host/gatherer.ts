import { performance } from 'node:perf_hooks';
import { withDeadline } from '../kit/waiting/deadline.ts';
import { LogThrottle, type Log } from '../log.ts';
import {
  EXTENSION_POINTS,
  type ExtensionPointName,
  type ExtensionPoints,
  type Gathered,
} from '../contract/extension-points.ts';
import type { Plugin, Setup } from '../contract/plugin.ts';
import type { RouteSpecs } from '../contract/route-spec.ts';

/** A plugin and the result of its `setup`; `undefined` unless it is ready. */
interface Candidate {
  readonly plugin: Plugin;
  readonly setup: Setup<RouteSpecs> | undefined;
}

interface Provider<P extends ExtensionPointName> {
  readonly plugin: string;
  readonly ask: (...args: Parameters<ExtensionPoints[P]>) => Value<P> | Promise<Value<P>>;
}

type Value<P extends ExtensionPointName> = Awaited<ReturnType<ExtensionPoints[P]>>;

/** Calls the providers of extension points. */
export class Gatherer {
  readonly #candidates: () => readonly Candidate[];
  readonly #log: Log;
  readonly #throttle = new LogThrottle();

  /** `candidates` returns plugins in the order of their needs. */
  constructor(log: Log, candidates: () => readonly Candidate[]) {
    this.#log = log;
    this.#candidates = candidates;
  }

  /** Calls all providers of a point by its rules; see `Host.gather`. */
  readonly gather = async <P extends ExtensionPointName>(
    point: P,
    ...args: Parameters<ExtensionPoints[P]>
  ): Promise<Gathered<P>[]> => {
    const providers = this.#providers(point);
    if (EXTENSION_POINTS[point].isInOrder !== true)
      return Promise.all(providers.map((provider) => this.#call(point, provider, args)));
    const results: Gathered<P>[] = [];
    for (const provider of providers) results.push(await this.#call(point, provider, args));
    return results;
  };

  async #call<P extends ExtensionPointName>(
    point: P,
    { plugin, ask }: Provider<P>,
    args: Parameters<ExtensionPoints[P]>,
  ): Promise<Gathered<P>> {
    const { timeoutMs, failure } = EXTENSION_POINTS[point];
    const started = performance.now();
    try {
      const answer = ask(...args);
      const value = answer instanceof Promise ? await withDeadline(answer, timeoutMs) : answer;
      return { plugin, ms: performance.now() - started, ok: true, value };
    } catch (error) {
      if (failure === 'costs its part' && this.#throttle.isDue(`${plugin} ${point}`))
        this.#log.warn({ plugin, point, err: error }, 'gathering a part failed');
      return { plugin, ms: performance.now() - started, ok: false, error };
    }
  }

  #providers<P extends ExtensionPointName>(point: P): Provider<P>[] {
    return this.#candidates().flatMap(({ plugin, setup }) => {
      const ask = setup?.provides?.[point] as Provider<P>['ask'] | undefined;
      return ask === undefined ? [] : [{ plugin: plugin.name, ask }];
    });
  }
}
