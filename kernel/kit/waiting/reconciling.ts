import { LogThrottle, type Log } from '../../log.ts';
import { Recurring } from './recurring.ts';

/** How soon what failed is tried again, and what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 5000;

/** Takes note of what goes wrong with one account, while the work goes on with the others. */
export type AccountFailed = (account: { readonly username: string }, error: unknown) => void;

interface ReconcilingOptions {
  readonly log: Log;
  onClose(release: () => Promise<void>): void;
  /** Call back when there may be something to do; each returns a function that unsubscribes. */
  readonly wakers: readonly ((wake: () => void) => () => void)[];
  /** For the log, where something is not done yet. */
  readonly warning: string;
}

/** Runs `work` now, when a waker calls, and every few seconds; one run at a time. */
export function startReconciling(
  { log, onClose, wakers, warning }: ReconcilingOptions,
  work: (failed: AccountFailed) => Promise<void>,
): void {
  const throttle = new LogThrottle();
  const warn = (err: unknown, key: string, fields = {}) => {
    if (throttle.isDue(key)) log.warn({ err, ...fields }, warning);
  };
  const failed: AccountFailed = ({ username }, error) => warn(error, username, { account: username });
  const recurring = new Recurring({
    run: () => work(failed),
    failed: (error) => warn(error, ''),
    everyMs: AGAIN_MS,
  });
  const stops = wakers.map((each) => each(() => recurring.wake()));
  onClose(async () => {
    for (const stop of stops) stop();
    await recurring.close();
  });
  recurring.wake();
}
