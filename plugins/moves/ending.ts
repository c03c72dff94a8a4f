import { fleetNodes } from '../../kernel/areas/fleet-nodes.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import type { Tx } from '../../kernel/store/store.ts';
import type { MovedFiles } from './files/moved-files.ts';
import { forMovers } from './parts.ts';
import { abandonedAt, readMove, removeMove, setState, type Move } from './rows.ts';

/** Until the web server of the old home has noticed that the sites are not its own any more. */
const SETTLED_MS = 3000;

type Parts = Pick<Host, 'identity' | 'events' | 'store' | 'gather'> & { readonly node: NodeInfo };

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
    (await abandonedAt(parts.store, parts.node.leases, node)).map((move) => reopen(parts, move, reason)),
  );
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

interface Removal {
  readonly files: MovedFiles;
  /** Whether also what somebody has changed too late is removed. */
  readonly isForced: boolean;
  readonly say: (step: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Removes what is at the old home of an account that has moved. Resolves with files that changed after the last comparison, if
 * any: all stay then.
 */
export async function removeLeft(
  parts: Parts,
  move: Move,
  { files, isForced, say, signal }: Removal,
): Promise<readonly string[]> {
  const { accountId: id, username } = move;
  await delay(SETTLED_MS, undefined, { signal });
  if (move.comparedAt > 0 && (await files.measure()).exists) {
    const late = isForced ? [] : await files.changedSince(move.comparedAt);
    if (late.length > 0) return late;
    say(`removing ${files.path}`);
    await files.remove();
  }
  await forMovers(parts, (mover) => mover.remove({ id, username }, isForced));
  await parts.store.write((tx) => removeMove(tx, move));
  return [];
}

/** For the purge of a removed account: a move that is not finished may have left something of it, which a namesake would find. */
export async function leftByMove(
  host: Pick<Host, 'store' | 'gather'>,
  username: string,
): Promise<readonly PurgePart[]> {
  const { store } = host;
  const move = await readMove(store, username);
  if (move === undefined) return [];
  const { source, target, state } = move;
  const isFinishable = (await fleetNodes(host)).has(source);
  if (state === 'begun' || !isFinishable) {
    await store.write((tx) => removeMove(tx, move));
    return [];
  }
  const [where, how] = state === 'switched' ? [source, `--to ${target}`] : [target, '--undo'];
  const problem = `its move from ${source} to ${target} may have left files at ${where}: run \`hostkeep account move ${username} ${how}\` at ${source}`;
  return [{ what: 'moves', removed: 0, problem }];
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
