import { errorMessage } from '../../errors.ts';
import { LogThrottle, type Log } from '../../log.ts';
import { Recurring } from './recurring.ts';

/** How soon what failed is tried again, and what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 5000;

/** Does one part of the work, named for people. What fails is logged, and the rest goes on. */
export type AttemptPart = (what: string, part: () => Promise<unknown>) => Promise<void>;

interface ReconcilingOptions {
  readonly log: Log;
  onClose(release: () => Promise<void>): void;
  /** Call back when there may be something to do; each returns a function that unsubscribes. */
  readonly wakers: readonly ((wake: () => void) => () => void)[];
  readonly everyMs?: number;
  /** Names for people what is brought up to date. */
  readonly subject: string;
}

/** Runs `work` now, when a waker calls, and every few seconds; one run at a time. Returns a function that tells what failed in the last run. */
export function startReconciling(
  { log, onClose, wakers, everyMs = AGAIN_MS, subject }: ReconcilingOptions,
  work: (attempt: AttemptPart) => Promise<void>,
): () => string | undefined {
  const throttle = new LogThrottle();
  let problem: string | undefined;
  let found: string | undefined;
  const note = (what: string, err: unknown) => {
    found ??= `${what}: ${errorMessage(err)}`;
    if (throttle.isDue(what)) log.warn({ err }, `${what} could not be brought up to date`);
  };
  const attempt: AttemptPart = async (what, part) => {
    try {
      await part();
    } catch (error) {
      note(what, error);
    }
  };
  const recurring = new Recurring({
    run: async () => {
      found = undefined;
      await work(attempt);
      problem = found;
    },
    failed: (error) => {
      note(subject, error);
      problem = found;
    },
    everyMs,
  });
  const stops = wakers.map((each) => each(() => recurring.wake()));
  onClose(async () => {
    for (const stop of stops) stop();
    await recurring.close();
  });
  recurring.wake();
  return () => problem;
}
