import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import type { Tx } from '../../../kernel/storage/store.ts';
import { forMovers } from './parts.ts';
import { abandonedAt, setState, type Move } from './rows.ts';

type Parts = Pick<Host, 'identity' | 'events' | 'store' | 'gather' | 'node'>;

/**
 * Lets an account whose last differences were being taken change again, at its old home. The files at the target stay until
 * the move is run again, or undone. Rejects if the move is over meanwhile, or in other hands, and if something of the account
 * cannot be opened now: it is tried again until it can.
 */
export async function reopen(parts: Parts, move: Move, reason: string): Promise<void> {
  const { identity, events } = parts;
  const { username, accountId: id } = move;
  await forMovers(parts, (mover) => mover.reopen({ id, username }));
  await identity.accounts.relocate(username, { isReadOnly: false }, async (tx) => {
    if (move.state === 'read_only') await setState(tx, move, 'copying');
    await recordFailure(tx, events, move, reason);
  });
}

/** Does so for the moves from a node that were abandoned: their commands were killed. Rejects after all have been tried. */
export async function reopenAbandoned(parts: Parts, node: string): Promise<void> {
  const reason = 'its command has ended without a word';
  const ended = await Promise.allSettled(
    (await abandonedAt(parts.store, node)).map((move) => reopen(parts, move, reason)),
  );
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

/** Records that an account stays where it is. */
export function recordFailure(tx: Tx, events: Host['events'], move: Move, reason: string): Promise<void> {
  const { username, accountId: id, source: from, target: to } = move;
  return events.record(tx, {
    type: 'account.move_failed',
    account: { id, username },
    text: `stayed at the node ${from}, because its move to ${to} failed`,
    ip: '',
    data: { from, to, reason: reason.slice(0, 500) },
  });
}
