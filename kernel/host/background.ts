import { errorMessage } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Host } from '../contract/plugin.ts';
import type { Leadership } from '../workers/leadership.ts';

/** Starts a plugin's background work, at once or when this process takes over; see `PluginNode.onLeader`. */
export function startLeading(
  leadership: Leadership,
  start: () => void | Promise<void>,
  { log, onClose }: Pick<Host, 'onClose'> & { readonly log: Log },
): void | Promise<void> {
  if (leadership.isLeader) return start();
  let starting: Promise<void> | undefined;
  const cancel = leadership.onTakeOver(() => {
    starting = Promise.resolve()
      .then(start)
      .catch((error: unknown) => log.error({ err: error }, `background work does not start: ${errorMessage(error)}`));
  });
  onClose(() => {
    cancel();
    return starting;
  });
}
