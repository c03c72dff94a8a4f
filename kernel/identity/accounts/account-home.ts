import { fail, HttpError } from '../../errors.ts';

/** Whether a home is the node `here`; so it is of every account where the store has one node. */
export const isAt = (home: string, here: string): boolean => home === '' || here === '' || home === here;

/** Throws where what an account has, or left, is at another node than `here`. Errors: 409 `other_node`. */
export function assertHere({ username, home }: { username: string; home: string }, here: string): void {
  if (isAt(home, here)) return;
  throw fail.other_node(`what ${username} has is at the node ${home}: do this there`);
}

/** Errors: 503 `account_moving`. */
export const moving = (username: string): HttpError =>
  fail.account_moving(`${username} is being moved to another node, which takes its last differences`, {
    retryAfterSeconds: 5,
  });

/** Throws where nothing of an account may change. Errors: 409 `other_node`, 503 `account_moving`. */
export function assertChangeable(
  { isReadOnly, ...account }: { username: string; home: string; isReadOnly: boolean },
  here: string,
): void {
  assertHere(account, here);
  if (isReadOnly) throw moving(account.username);
}
