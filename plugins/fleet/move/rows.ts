import { randomUUID } from 'node:crypto';
import { HttpError } from '../../../kernel/errors.ts';
import type { Reader, Store, Tx } from '../../../kernel/store/store.ts';
import { isRunning, PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import { NOW } from '../store.ts';
import { fail } from '../errors.ts';

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
  /** The run of the command that moves it, and its process at the source. */
  readonly claim: string;
  /** Whether that run was heard of lately, as the source can tell: it alone sees the process. */
  readonly isAlive: boolean;
  /** When the last comparison of the files began, in milliseconds since 1970. */
  readonly comparedAt: number;
}

interface Row extends Omit<Move, 'accountId' | 'isAlive' | 'comparedAt'> {
  readonly account_id: number;
  readonly compared_at: number;
  readonly ms_ago: number;
}

/** How often a command says that it is at work, and after which silence it is not: a shorter one if its process is gone. */
export const MOVE_BEAT_MS = 2000;
const SILENT_MS = 10_000;
const GONE_MS = 3000;

/** Returns the claim of a new run in this process. */
export const newClaim = (): string => `${PROCESS_ID} ${randomUUID()}`;

const SELECT = `select username, account_id, source, target, state, claim, compared_at, ${NOW} - beat_at as ms_ago
  from fleet_moves`;

export async function moveOf(reader: Reader, username: string): Promise<Move | undefined> {
  const row = await reader.get<Row>(`${SELECT} where username = ?`, username);
  return row && moveIn(row);
}

/** Resolves with the moves from a node that took the last differences when their command ended without a word. */
export async function abandonedAt(reader: Reader, source: string): Promise<Move[]> {
  const rows = await reader.all<Row>(`${SELECT} where source = ? and state = 'read_only'`, source);
  return rows.map(moveIn).filter(({ isAlive }) => !isAlive);
}

export async function addMove(tx: Tx, move: Omit<Move, 'isAlive' | 'comparedAt'>): Promise<void> {
  const { username, accountId, source, target, state, claim } = move;
  await tx.run(
    `insert into fleet_moves (username, account_id, source, target, state, claim, beat_at, compared_at)
      values (?, ?, ?, ?, ?, ?, ${NOW}, 0)`,
    ...[username, accountId, source, target, state, claim],
  );
}

/** Takes a move over whose command has ended. */
export async function claimMove(tx: Tx, username: string, claim: string): Promise<void> {
  await tx.run(`update fleet_moves set claim = ?, beat_at = ${NOW} where username = ?`, claim, username);
}

/** Rejects if the move is in another state, or in other hands. */
export async function setState(tx: Tx, { username, claim, state: from }: Move, to: MoveState): Promise<void> {
  const sql = 'update fleet_moves set state = ? where username = ? and claim = ? and state = ?';
  const { changes } = await tx.run(sql, to, username, claim, from);
  if (changes === 0) throw lost(username);
}

/** Rejects if the move is in other hands. */
export async function setCompared(tx: Tx, { username, claim }: Move, comparedAt: number): Promise<void> {
  const sql = 'update fleet_moves set compared_at = ? where username = ? and claim = ?';
  const { changes } = await tx.run(sql, comparedAt, username, claim);
  if (changes === 0) throw lost(username);
}

/** Says that the command is at work. Rejects if the move is in other hands. */
export async function beatMove(store: Store, { username, claim }: Move): Promise<void> {
  const sql = `update fleet_moves set beat_at = ${NOW} where username = ? and claim = ?`;
  const { changes } = await store.write((tx) => tx.run(sql, username, claim));
  if (changes === 0) throw lost(username);
}

export async function removeMove(tx: Tx, { username, claim }: Move): Promise<void> {
  await tx.run('delete from fleet_moves where username = ? and claim = ?', username, claim);
}

/** Says that nobody works on the move any more. */
export async function leaveMove(tx: Tx, { username, claim }: Move): Promise<void> {
  await tx.run('update fleet_moves set beat_at = 0 where username = ? and claim = ?', username, claim);
}

const lost = (username: string): HttpError =>
  fail.move_in_progress(`the move of ${username} was taken over, or given up`);

const moveIn = ({ account_id: accountId, compared_at: comparedAt, ms_ago: ago, ...row }: Row): Move => ({
  ...row,
  accountId,
  comparedAt,
  isAlive: ago < (isRunning(row.claim.split(' ')[0] ?? '') ? SILENT_MS : GONE_MS),
});
