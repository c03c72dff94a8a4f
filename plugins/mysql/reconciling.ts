import { WORKER_EXITED } from '../../kernel/contract/workers.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { LogThrottle } from '../../kernel/log.ts';

/** How soon what failed is tried again, and what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 5000;
const EVENTS = new Set(['account.suspended', 'account.unsuspended']);

type Failed = (account: { readonly username: string }, error: unknown) => void;

/** Runs `work` now, after events that concern it, and every few seconds; one run at a time. */
export function startReconciling(
  host: Pick<Host, 'events' | 'log' | 'onClose' | 'workers'>,
  work: (failed: Failed) => Promise<void>,
) {
  const throttle = new LogThrottle();
  const warn = (err: unknown, key: string, fields = {}) => {
    if (throttle.isDue(key))
      host.log.warn({ err, ...fields }, 'database users or databases are not as they should be yet');
  };
  const failed: Failed = ({ username }, error) => warn(error, username, { account: username });
  let running: Promise<void> | undefined;
  let isDue = false;
  const run = async () => {
    while (isDue) {
      isDue = false;
      await work(failed).catch((error: unknown) => warn(error, ''));
    }
    running = undefined;
  };
  const wake = () => {
    isDue = true;
    running ??= run();
  };
  const timer = setInterval(wake, AGAIN_MS).unref();
  const stops = [
    host.workers.subscribe(WORKER_EXITED, wake),
    host.events.listen(({ type }) => {
      if (EVENTS.has(type)) wake();
    }),
  ];
  host.onClose(async () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    isDue = false;
    await running;
  });
  wake();
}
