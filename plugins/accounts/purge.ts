import { errorMessage } from '../../kernel/errors.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import type { PurgeReport } from './schema.ts';

type Part = PurgeReport['parts'][number];

/** A problem may name each thing that is left. */
const PROBLEM_CHARACTERS = 2000;

interface PurgeHost {
  readonly identity: { readonly accounts: Accounts };
  readonly jobs: AccountJobs;
  readonly node: Pick<Host['node'], 'plugins'>;
  readonly gather: Host['gather'];
}
interface Actor {
  readonly username: string;
  readonly ip: string;
}

/**
 * Removes what a removed account left outside the store, and frees its name if nothing is left. Errors: 404
 * `account_not_found` for a name that is not reserved, 409 `purge_in_progress` while another process does so.
 */
export async function purgeAccount(
  host: PurgeHost,
  username: string,
  by: Actor,
  closing: AbortSignal,
): Promise<PurgeReport> {
  const { removed } = host.identity.accounts;
  const account = await removed.claim(username);
  const signal = AbortSignal.any([closing, account.lease.signal]);
  try {
    const plugins = await partsOf(host, account, signal);
    const parts = [...plugins, await filesPart(host.jobs, account, signal)]; // last, as containers may still write files
    const isComplete = parts.every(({ problem }) => problem === null);
    if (isComplete) await removed.release(account, by);
    return { state: isComplete ? 'complete' : 'incomplete', parts };
  } finally {
    await account.lease.release();
  }
}

async function partsOf({ node, gather }: PurgeHost, account: RemovedAccount, signal: AbortSignal): Promise<Part[]> {
  const unavailable = node
    .plugins()
    .filter(({ state, keepsByName }) => state === 'unavailable' && keepsByName === true)
    .map(({ name, reason = '' }) => partOf(name, failed(`the plugin is unavailable: ${reason}`)));
  const gathered = (await gather('purge', account, signal)).flatMap((answer) =>
    (answer.ok ? answer.value : [failed(errorMessage(answer.error))]).map((part) => partOf(answer.plugin, part)),
  );
  return [...unavailable, ...gathered];
}

async function filesPart(jobs: AccountJobs, account: RemovedAccount, signal: AbortSignal): Promise<Part> {
  try {
    const { removed, problem, isComplete } = await jobs.removeFiles(account, signal);
    return partOf('kernel', { what: 'files', removed, problem: isComplete ? problem : 'not all were removed in time' });
  } catch (error) {
    return partOf('kernel', { ...failed(errorMessage(error)), what: 'files' });
  }
}

const failed = (problem: string): PurgePart => ({ what: 'everything', removed: 0, problem });

const partOf = (plugin: string, { what, removed, problem }: PurgePart): Part => ({
  plugin,
  what,
  removed,
  problem: problem?.slice(0, PROBLEM_CHARACTERS) ?? null,
});

/** Purges of one server: a request for one that is running gets its report, and it goes on when nobody waits. */
export class Purges {
  readonly #host: PurgeHost;
  readonly #running = new Map<string, Promise<PurgeReport>>();
  readonly #closing = new AbortController();

  constructor(host: PurgeHost) {
    this.#host = host;
  }

  /** Errors: see `purgeAccount`. */
  run(username: string, by: Actor): Promise<PurgeReport> {
    let running = this.#running.get(username);
    if (running === undefined) {
      running = purgeAccount(this.#host, username, by, this.#closing.signal).finally(() =>
        this.#running.delete(username),
      );
      this.#running.set(username, running);
    }
    return running;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running.values());
  }
}
