import type { HttpError } from '../../kernel/errors.ts';
import type { Leases } from '../../kernel/store/lease.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';

/**
 * How far a move is. `begun`: the target knows nothing of it. `copying`: it has files of the account. `read_only`: the last
 * differences are taken. `switched`: the target is the home, and the source has files that nobody needs any more.
 */
export type MoveState = 'begun' | 'copying' | 'read_only' | 'switched';

export interface Move {
  readonly username: string;
  readonly accountId: number;
  readonly source: string;
  readonly target: string;
  readonly state: MoveState;
  /** The holder of the lease with which the last run of the command moves it. */
  readonly claim: string;
  /** When the last comparison of the files began, in milliseconds since 1970. */
  readonly comparedAt: number;
}

interface Row extends Omit<Move, 'accountId' | 'comparedAt'> {
  readonly account_id: number;
  readonly compared_at: number;
}

/** The lease of the run that moves an account, and its time: so long an account may stay read-only when its source has died. */
export const leaseOfMove = (username: string): string => `move ${username}`;
export const MOVE_LEASE_MS = 10_000;

const SELECT = 'select username, account_id, source, target, state, claim, compared_at from moves';

export async function readMove(reader: Reader, username: string): Promise<Move | undefined> {
  const row = await reader.get<Row>(`${SELECT} where username = ?`, username);
  return row && moveIn(row);
}

/** Resolves with the moves from a node that took the last differences when their command ended without a word. */
export async function abandonedAt(reader: Reader, leases: Leases, source: string): Promise<Move[]> {
  const moves = (await reader.all<Row>(`${SELECT} where source = ? and state = 'read_only'`, source)).map(moveIn);
  const holders = await Promise.all(moves.map(({ username }) => leases.holder(reader, leaseOfMove(username))));
  return moves.filter((_, i) => holders[i] === undefined);
}

export async function addMove(tx: Tx, move: Omit<Move, 'comparedAt'>): Promise<void> {
  const { username, accountId, source, target, state, claim } = move;
  await tx.run(
    `insert into moves (username, account_id, source, target, state, claim, compared_at)
      values (?, ?, ?, ?, ?, ?, 0)`,
    ...[username, accountId, source, target, state, claim],
  );
}

/** Takes a move over whose command has ended. */
export async function claimMove(tx: Tx, username: string, claim: string): Promise<void> {
  await tx.run('update moves set claim = ? where username = ?', claim, username);
}

/** Rejects if the move is in another state, or claimed by another run. */
export async function setState(tx: Tx, { username, claim, state: from }: Move, to: MoveState): Promise<void> {
  const sql = 'update moves set state = ? where username = ? and claim = ? and state = ?';
  const { changes } = await tx.run(sql, to, username, claim, from);
  if (changes === 0) throw lost(username);
}

/** Rejects if another run has claimed the move. */
export async function setCompared(tx: Tx, { username, claim }: Move, comparedAt: number): Promise<void> {
  const sql = 'update moves set compared_at = ? where username = ? and claim = ?';
  const { changes } = await tx.run(sql, comparedAt, username, claim);
  if (changes === 0) throw lost(username);
}

export async function removeMove(tx: Tx, { username, claim }: Move): Promise<void> {
  await tx.run('delete from moves where username = ? and claim = ?', username, claim);
}

export const lost = (username: string): HttpError =>
  fail.move_in_progress(`the move of ${username} was taken over, or given up`);

const moveIn = ({ account_id: accountId, compared_at: comparedAt, ...row }: Row): Move => ({
  ...row,
  accountId,
  comparedAt,
});
