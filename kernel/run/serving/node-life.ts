import { withDeadline } from '../../kit/waiting/deadline.ts';
import type { Config } from '../../config/configuration.ts';
import { errorMessage, failureText } from '../../errors.ts';
import type { Hostkeep } from '../hostkeep.ts';
import type { Log } from '../../log.ts';
import { precautions } from '../examination/precautions.ts';
import type { Occurrence } from '../../store/events/event-types.ts';

/** How long a server that failed may take to close. */
const ABANDON_MS = 10_000;
/** A timer may throw again and again until the process ends. */
const UNHANDLED_LOGGED = 10;

/** Logs what an operator should know about a node that starts; not all of it if the node is stopped meanwhile. */
export async function logPrecautions({ core, node }: Hostkeep, log: Log): Promise<void> {
  for (const { ok, name, detail, remedy } of await precautions(node.config))
    if (!ok) log.warn({ setting: name, remedy }, `${name}: ${detail}`);
  const admins = await core.accounts.count('admin').catch((error: unknown) => {
    if (!node.isStopping()) throw error; // otherwise, the store may be closed
  });
  if (admins === 0)
    log.warn('there is no administrator yet: create one with `hostkeep account add --admin <username>`');
}

/**
 * Ends the process in order: with exit code 0 on SIGTERM or SIGINT, which finishes accepted requests; with 1 after an error
 * that nothing handled, because then its state is unknown, so that systemd starts another.
 */
export function untilStopped(starting: Promise<Hostkeep>, log: Log): void {
  let unhandled = 0;
  const stop = async (closing: Promise<void>): Promise<void> => {
    try {
      await closing;
    } catch (error) {
      log.fatal({ err: error }, 'stopping failed');
      process.exit(1);
    }
    process.exit(unhandled === 0 ? 0 : 1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void stop(starting.then((hostkeep) => hostkeep.close()));
    });
  process.on('uncaughtException', (error, origin) => {
    unhandled += 1;
    if (unhandled <= UNHANDLED_LOGGED) log.fatal({ err: error, origin }, 'nothing handled this error: stopping');
    if (unhandled > 1) return;
    const closing = starting.then((hostkeep) => hostkeep.abandon(error));
    void stop(withDeadline(closing, ABANDON_MS));
  });
}

/** Replaces the configuration by what `read` returns. Resolves with why it is refused; `undefined` if it is in force. */
export async function reconfigure(hostkeep: Hostkeep, read: () => Config): Promise<string | undefined> {
  try {
    await hostkeep.reconfigure(read());
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Logs and records the outcome of a reload, so that `hostkeep reload` and operators see it. */
export async function recordReload(hostkeep: Hostkeep, log: Log, refusal: string | undefined): Promise<void> {
  if (refusal === undefined) log.info('the configuration was reloaded');
  else log.error(`the configuration was not changed: ${refusal}`);
  const outcome: Outcome =
    refusal === undefined
      ? {
          type: 'configuration.reloaded',
          text: 'had the configuration reloaded',
          data: { lacks: await findLacks(hostkeep) },
        }
      : {
          type: 'configuration.refused',
          text: `had the configuration reloaded, which was refused: ${refusal}`,
          data: { reason: refusal },
        };
  const { store, events } = hostkeep.core;
  await store
    .write((tx) => events.record(tx, { ...outcome, ip: '' }))
    .catch((error: unknown) => log.error({ err: error }, 'the outcome could not be recorded'));
}

/** Resolves with the plugins that lack something from outside now, and what. */
async function findLacks({ plugins }: Hostkeep): Promise<string[]> {
  return (await plugins.gather('health')).flatMap(({ plugin, ...part }) =>
    part.ok
      ? part.value.filter(({ ok }) => !ok).map(({ detail }) => `${plugin}: ${detail}`)
      : [`${plugin}: ${failureText('the check failed', part.error)}`],
  );
}

type Outcome = Extract<Occurrence, { readonly type: 'configuration.reloaded' | 'configuration.refused' }> & {
  readonly text: string;
};
