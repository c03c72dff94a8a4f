import { errorMessage } from '../../kernel/errors.ts';
import type { ClaimedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { Node } from './run.ts';
import { beingMade } from './unfinished.ts';

/**
 * Removes an account that was begun, and frees its name; with `isAlone`, also what it has by now. Resolves with why something stays, and
 * the name with it.
 */
export async function undo(host: Node, username: string, isAlone: boolean): Promise<string[]> {
  await host.identity.accounts.remove(username);
  return clear(host, username, isAlone);
}

/** See `AccountMaker.unmake`. */
export async function unmake(host: Node, source: string, id: number | null): Promise<string[]> {
  const { accounts } = host.identity;
  const username = await beingMade(host.store, source);
  if (username !== undefined) return undo(host, username, (await accounts.get(username)).id === id);
  const removed = (await accounts.removed.list()).find((each) => each.id === id);
  return removed === undefined ? [] : clear(host, removed.username, true);
}

async function clear(host: Node, username: string, isAlone: boolean): Promise<string[]> {
  const { removed } = host.identity.accounts;
  const account = await removed.claim(username);
  try {
    const problems = isAlone ? await removeAll(host, account) : [];
    if (problems.length === 0) await removed.release(account, { username: '', ip: '' });
    return problems;
  } finally {
    await account.lease.release();
  }
}

async function removeAll({ gather, jobs }: Node, removed: ClaimedAccount): Promise<string[]> {
  const { signal } = removed.lease;
  const parts = (await gather('purge', removed, signal)).flatMap((answer) =>
    answer.ok ? answer.value.map(({ problem }) => problem) : [errorMessage(answer.error)],
  );
  const files = await jobs.removeFiles(removed, signal);
  const all = [...parts, files.problem, files.isComplete ? undefined : 'not all files were removed in time'];
  return all.filter((problem) => problem !== undefined);
}
