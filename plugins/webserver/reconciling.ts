import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { LoggedEvent } from '../../kernel/store/events/event-types.ts';
import type { WebserverConfig } from './schema.ts';
import type { VhostVerbs } from './vhosts/vhost-writer.ts';
import type { Vhosts } from './vhosts/vhosts.ts';

/** How long the start waits for the first reconciliation, which continues afterwards. */
const START_MS = 20_000;
/** How often the event log is read for changes by other processes, such as the command line. */
const FOLLOW_MS = 1000;
const PAGE = 200;
/** How soon what failed is tried again; each time in vain doubles it. */
const FIRST_PAUSE_MS = 2500;
const LONGEST_PAUSE_MS = 60_000;
/** Changes of accounts that change what their domains serve. */
const ACCOUNT_EVENTS = new Set(['account.removed', 'account.suspended', 'account.unsuspended']);
/** Changes of one domain, whose file a comparison may have written as it was before. */
const DOMAIN_EVENTS = new Set([
  ...['domain.added', 'domain.suspended', 'domain.unsuspended', 'domain.docroot_set'],
  ...['domain.held', 'domain.released', 'domain.alias_added', 'domain.alias_removed'],
]);

/**
 * Reconciles virtual hosts with the domains now and from now on, unless another process does. What fails is the `problem` of
 * the virtual hosts, and is tried again.
 */
export async function startReconciling(host: Host<WebserverConfig>, writer: VhostVerbs, vhosts: Vhosts): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let trying: Promise<void> | undefined;
  let isStarted = false;
  let isClosed = false;
  const attempt = async () => {
    try {
      if (isStarted) await vhosts.reconcile();
      else isStarted = await start(host, writer, vhosts);
    } catch (error) {
      vhosts.note([error]);
    }
    if (vhosts.problem === undefined) pauseMs = FIRST_PAUSE_MS;
    schedule();
  };
  const schedule = () => {
    if (isClosed) return;
    timer = setTimeout(() => {
      if (vhosts.problem === undefined) return schedule();
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      trying = attempt();
    }, pauseMs).unref();
  };
  host.onClose(() => {
    isClosed = true;
    clearTimeout(timer);
    return trying;
  });
  await attempt();
}

/** Resolves with whether this process reconciles or need not; rejects if it cannot yet. */
async function start(host: Host<WebserverConfig>, writer: VhostVerbs, vhosts: Vhosts): Promise<boolean> {
  const holder = `${PROCESS_ID} ${randomUUID()}`;
  const result = await writer.acquire(holder);
  if (result === 'held-elsewhere') return true;
  host.onClose(async () => void (await writer.release(holder)));
  await keepReconciling(host, vhosts);
  const { done } = await vhosts.start({ spareYoung: result === 'taken-over' });
  await Promise.race([done, delay(START_MS, undefined, { ref: false })]);
  return true;
}

/** Reacts to changes that do not reach `domainAdded` and `domainRemoved`, and compares everything now and then. */
async function keepReconciling(
  { config, events, log, node, onClose }: Host<WebserverConfig>,
  vhosts: Vhosts,
): Promise<void> {
  let cursor = await events.lastId();
  const follow = async () => {
    for (let page: LoggedEvent[]; (page = await events.after(cursor, PAGE)).length > 0;) {
      cursor = page.at(-1)?.id ?? cursor;
      if (await needsReconciling(page, vhosts, node.fleet?.name)) await vhosts.reconcile();
    }
  };
  const following = new Recurring({
    run: follow,
    failed: (err) => log.error({ err }, 'virtual hosts could not be compared with the domains'),
    everyMs: FOLLOW_MS,
  });
  onClose(() => following.close());
  onClose(events.listen(() => following.wake()));
  following.wake();
  if (config.reconcile_seconds === 0) return;
  const timer = setInterval(() => void vhosts.reconcile(), config.reconcile_seconds * 1000).unref();
  onClose(() => clearInterval(timer));
}

async function needsReconciling(
  page: readonly LoggedEvent[],
  vhosts: Vhosts,
  here: string | undefined,
): Promise<boolean> {
  for (const { type, username, data } of page) {
    if (type === 'account.moved' && (data['from'] === here || data['to'] === here)) return true;
    if (!ACCOUNT_EVENTS.has(type) && !DOMAIN_EVENTS.has(type)) continue;
    if (!(await vhosts.serves(username))) continue;
    if (ACCOUNT_EVENTS.has(type) || !(await vhosts.isCurrent(username, String(data['domain_url'])))) return true;
  }
  return false;
}
