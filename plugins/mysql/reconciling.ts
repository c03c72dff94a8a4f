import { WORKER_EXITED } from '../../kernel/contract/workers.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
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
  const recurring = new Recurring({
    run: () => work(failed),
    failed: (error) => warn(error, ''),
    everyMs: AGAIN_MS,
  });
  const stops = [
    host.workers.subscribe(WORKER_EXITED, () => recurring.wake()),
    host.events.listen(({ type }) => {
      if (EVENTS.has(type)) recurring.wake();
    }),
  ];
  host.onClose(async () => {
    for (const stop of stops) stop();
    await recurring.close();
  });
  recurring.wake();
}
