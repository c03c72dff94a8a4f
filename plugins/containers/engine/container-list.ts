import type { Log } from '../../../kernel/log.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import { ContainerSnapshot } from './container-snapshot.ts';
import type { EngineClient } from './engine-client.ts';
import { RETRY_SECONDS, unavailable } from '../errors.ts';

/** Shorter than the sampling interval, so that each round of samples sees a new list. */
const KEEP_MS = 1000;
/** How long after a failure requests are refused at once, instead of waiting for the next attempt. */
const KNOWN_DOWN_MS = 10_000;
const DETAIL = 'the container engine does not answer';

export type ContainerList = Polled<ContainerSnapshot>;

/**
 * The running containers of one engine, at most a second old, and the engine's state. Paused containers count as
 * running, as in the docker CLI. Errors: 503 `containers_unavailable`.
 */
export function pollContainers(engine: EngineClient, log: Log): ContainerList {
  const { socketPath: socket } = engine;
  return new Polled({
    measure: async () => new ContainerSnapshot(await engine.ask('containers', { all: false }), engine.isOwn),
    freshMs: KEEP_MS,
    retryMs: RETRY_SECONDS * 1000,
    knownDownMs: KNOWN_DOWN_MS,
    failed: (error) => unavailable(error, DETAIL),
    onStateChange: (error) => {
      if (error === undefined) log.info({ socket }, 'the container engine answers again');
      else log.warn({ socket, err: error }, DETAIL);
    },
  });
}
