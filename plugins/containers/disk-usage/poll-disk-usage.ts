import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { EtagReply } from '../../../kernel/areas/etag-reply.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import type { ContainerList } from '../engine/container-list.ts';
import { isOwnedBy } from '../engine/container-snapshot.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { RETRY_SECONDS, unavailable } from '../errors.ts';
import type { Labels } from '../../../kernel/kit/engine/untrusted-json.ts';
import { accountDiskUsage } from './usage-records.ts';

/** The engine walks all of its files, so a measurement may outlast the requests that wait for it. */
const MEASURE_MS = 60_000;
const WAIT_MS = 3000;
/** Containers are served at most this long after the engine listed them. */
const LIST_KEEP_MS = 2000;
/** After a failed measurement, how long no other one is attempted. */
const PAUSE_MS = 5000;
const DETAIL = 'the disk usage cannot be measured';
const BUSY_DETAIL = 'the disk usage is being measured';

/**
 * Polls the disk usage of one engine, measured once for all callers. Returns a function that returns an account's reply
 * from it, a promise only where the measurement or the list is too old. Listing containers is cheap, so replies show them
 * as they are now, with the sizes of a measurement that is kept longer. Errors: 503 `containers_unavailable`.
 */
export function pollDiskUsage(
  engine: EngineClient,
  list: ContainerList,
  keepMs: number,
): (account: Account) => EtagReply | Promise<EtagReply> {
  const sizes = new Polled({
    measure: () => engine.ask('usage', {}, { timeoutMs: MEASURE_MS }),
    freshMs: keepMs,
    retryMs: PAUSE_MS,
  });
  const replies = new Polled({
    measure: async () => {
      await list.read(); // shows soon whether the engine is up
      const usage = await sizes.read();
      const now = Date.now();
      const all = await engine.ask('containers', { all: true }); // last, because a measurement may take long
      return oncePerAccount((account) => {
        const isOwned = (labels: Labels) => engine.isOwn || isOwnedBy(labels, account);
        return EtagReply.json(accountDiskUsage(usage, { all, now }, isOwned));
      });
    },
    freshMs: LIST_KEEP_MS,
    waitMs: WAIT_MS,
    late: () => unavailable(undefined, BUSY_DETAIL),
    // a list that is known to be down refuses at once, and pauses by itself
    retryMs: (error) => (error instanceof HttpError ? 0 : RETRY_SECONDS * 1000),
    failed: (error) => unavailable(error, DETAIL),
  });
  return (account) => {
    const replyFor = replies.read();
    return replyFor instanceof Promise ? replyFor.then((reply) => reply(account)) : replyFor(account);
  };
}

function oncePerAccount(make: (account: Account) => EtagReply): (account: Account) => EtagReply {
  const made = new WeakMap<Account, EtagReply>();
  return (account) => {
    const reply = made.get(account) ?? make(account);
    made.set(account, reply);
    return reply;
  };
}
