import { errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { FleetPlace } from '../../kernel/contract/node-info.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import { fleetNodes } from '../../kernel/areas/fleet-nodes.ts';
import { openMovePool } from '../../kernel/areas/moves/moved-tree.ts';
import { MovedFiles } from './files/moved-files.ts';
import { assertMovable, usedPlugins, findTarget, type MoveParts } from './admission.ts';
import { recordFailure, removeLeft, reopen } from './ending.ts';
import { sendChanges, takeLast } from './files/last-files.ts';
import { LeavingParts, leftToDo } from './parts.ts';
import {
  addMove,
  claimMove,
  leaseOfMove,
  lost,
  MOVE_LEASE_MS,
  readMove,
  removeMove,
  setCompared,
  setState,
  type Move,
} from './rows.ts';
import { Target } from './target.ts';
import { fail, inProgress, refuse, saying } from './errors.ts';

export interface MoveReport {
  readonly username: string;
  readonly from: string;
  readonly to: string;
  /** How long changes were refused; `null` if an earlier run has moved the account. */
  readonly readOnlySeconds: number | null;
  /** Files that changed at the old home after the last comparison; all files stay there then. */
  readonly late: readonly string[];
  /** Where they are. */
  readonly files: string;
  /** Steps for the operator at the new home, in the imperative. */
  readonly next: readonly string[];
}

/** How long a run that was interrupted waits for the target to remove what it has got. */
const LEAVE_MS = 3000;

/** Which step begins, for people. */
type Say = (step: string) => void;

/** One run of the command at the old home of an account. */
export class AccountMove {
  readonly #parts: MoveParts;
  readonly #say: Say;
  readonly #abort = new AbortController();
  readonly #place: FleetPlace;

  /** Throws 404 `node_not_found` at a node by itself. An abort of `signal` ends the run, and the account stays. */
  constructor(parts: MoveParts, say: Say, signal: AbortSignal) {
    if (parts.node.fleet === undefined) throw fail.node_not_found('this node is in no fleet');
    this.#place = parts.node.fleet;
    this.#parts = parts;
    this.#say = say;
    signal.addEventListener('abort', () => this.#abort.abort(signal.reason), { once: true });
  }

  /**
   * Moves an account, or finishes a move that was interrupted. With `isForced`, files at the old home that changed too late
   * are removed. Whatever fails before the home changes leaves the account where it is. Errors: 404 `account_not_found`,
   * `node_not_found`, 409 `other_node`, `node_draining`, `move_in_progress`, `move_refused`, 503 `node_unreachable`,
   * `files_unavailable`.
   */
  run(username: string, to: string, isForced: boolean): Promise<MoveReport> {
    return this.#alone(username, (claim) => this.#run(username, to, isForced, claim));
  }

  async #run(username: string, to: string, isForced: boolean, claim: string): Promise<MoveReport> {
    const { store } = this.#parts;
    const before = await this.#earlier(username, to);
    if (before?.state === 'switched') {
      const moved = { ...before, claim };
      await store.write((tx) => claimMove(tx, username, claim));
      return this.#withFiles(moved, async (files) => ({
        ...(await this.#cleanUp(moved, files, null, isForced)),
        next: await this.#leftToDo(username, to),
      }));
    }
    const account = await assertMovable(this.#parts, this.#place, username);
    const node = await findTarget(this.#parts, this.#place, to);
    const begun = { username, accountId: account.id, source: this.#place.name, target: to, claim } as const;
    await store.write(async (tx) => {
      const current = await readMove(tx, username);
      if (current?.claim !== before?.claim) throw inProgress(username);
      if (current === undefined) await addMove(tx, { ...begun, state: 'begun' });
      else await claimMove(tx, username, claim);
    });
    const move = (await readMove(store, username)) ?? refuse(inProgress(username));
    const next = await leftToDo(this.#parts, account, to);
    const target = new Target(node, move, this.#abort.signal, this.#say);
    try {
      return await this.#withFiles(move, async (files) => {
        const [switched, seconds] = await this.#copy(move, account, files, target).catch((error: unknown) =>
          this.#giveUp(move, error),
        );
        return { ...(await this.#cleanUp(switched, files, seconds, isForced)), next };
      });
    } finally {
      await target.close();
    }
  }

  /** Gives up what an interrupted run has begun. Errors: 409 `move_refused` if there is nothing to give up. */
  undo(username: string): Promise<{ readonly username: string; readonly to: string }> {
    return this.#alone(username, (claim) => this.#undo(username, claim));
  }

  async #undo(username: string, claim: string): Promise<{ readonly username: string; readonly to: string }> {
    const before = await this.#earlier(username);
    if (before === undefined) throw fail.move_refused(`no move of ${username} was interrupted`);
    if (before.state === 'switched')
      throw fail.move_refused(
        `${username} lives on ${before.target} already: run the move again, which removes what it left here`,
      );
    const move = { ...before, claim };
    await this.#parts.store.write((tx) => claimMove(tx, username, claim));
    await this.#discard(move);
    return { username, to: move.target };
  }

  /** Resolves with a move that was interrupted; its account can change again. */
  async #earlier(username: string, to?: string): Promise<Move | undefined> {
    const move = await readMove(this.#parts.store, username);
    if (move === undefined) return undefined;
    this.#assertFromHere(move);
    if (to !== undefined && to !== move.target && move.state !== 'begun')
      throw fail.move_refused(
        `a move of ${username} to ${move.target} was interrupted: run that one again, or undo it with --undo`,
      );
    if (to !== undefined && to !== move.target) {
      await this.#parts.store.write((tx) => removeMove(tx, move));
      return undefined;
    }
    if (move.state !== 'read_only') return move;
    await reopen(this.#parts, move, 'its command has ended without a word');
    return { ...move, state: 'copying' };
  }

  #assertFromHere({ username, source }: Move): void {
    if (source !== this.#place.name)
      throw fail.other_node(`a move of ${username} from ${source} is not finished: do this there`);
  }

  /** Calls `work` with the claim of this run, and no other run meanwhile. */
  async #alone<T>(username: string, work: (claim: string) => Promise<T>): Promise<T> {
    const { store, node } = this.#parts;
    const lease = await node.leases.acquire(leaseOfMove(username), MOVE_LEASE_MS);
    if (lease === undefined) {
      const move = await readMove(store, username);
      if (move !== undefined) this.#assertFromHere(move);
      throw inProgress(username);
    }
    lease.signal.addEventListener('abort', () => this.#abort.abort(lost(username)), { once: true });
    try {
      return await work(lease.holder);
    } finally {
      await lease.release();
    }
  }

  async #withFiles<T>(move: Move, work: (files: MovedFiles) => Promise<T>): Promise<T> {
    const { jobs } = this.#parts;
    const pool = openMovePool(jobs);
    try {
      const account = { id: move.accountId, username: move.username };
      return await work(new MovedFiles(jobs, pool, account, this.#abort.signal));
    } finally {
      await pool.close();
    }
  }

  /** Resolves once the home has changed, with the seconds for which the account was read-only. */
  async #copy(move: Move, account: Account, files: MovedFiles, target: Target): Promise<[Move, number]> {
    const parts = await LeavingParts.of(this.#parts, account, (plugin) => target.linkOf(plugin));
    let hasMoved = false;
    try {
      const switched = await this.#copyAll(move, account, files, target, parts);
      hasMoved = true;
      return switched;
    } finally {
      await parts.end(hasMoved);
    }
  }

  async #copyAll(
    move: Move,
    account: Account,
    files: MovedFiles,
    target: Target,
    parts: LeavingParts,
  ): Promise<[Move, number]> {
    const { identity, store, events, node } = this.#parts;
    const { username, source: from, target: to } = move;
    const extent = await files.measure();
    await target.begin({ ...extent, plugins: usedPlugins(node, account) });
    await parts.begin();
    if (extent.exists) {
      this.#say(`copying ${extent.inodes} files and folders, ${formatSize(extent.bytes)}`);
      await target.send(files.packed(true));
      await sendChanges(files, target); // so that less is left for the time in which nothing may change
    }
    await parts.copy();
    const copied = (await readMove(store, username)) ?? refuse(inProgress(username));
    this.#say('refusing changes, and taking the last differences');
    const closedMs = performance.now();
    await identity.accounts.relocate(username, { isReadOnly: true }, (tx) => setState(tx, copied, 'read_only'));
    const last: Move = { ...copied, state: 'read_only' };
    await parts.close();
    const { signal } = this.#abort;
    const comparedAt = await takeLast({ files: files.urgently(), target, signal, hasFiles: extent.exists, closedMs });
    await parts.assertClosed();
    signal.throwIfAborted();
    const seconds = () => Math.round(performance.now() - closedMs) / 1000;
    await identity.accounts.relocate(username, { isReadOnly: false, home: to }, async (tx) => {
      await setCompared(tx, last, comparedAt);
      await setState(tx, last, 'switched');
      await events.record(tx, {
        type: 'account.moved',
        account,
        text: `was moved from the node ${from} to ${to}`,
        ip: '',
        data: { from, to, read_only_seconds: seconds() },
      });
    });
    const readOnly = seconds();
    this.#say(`lives on ${to}; changes were refused for ${readOnly} s`);
    return [{ ...last, state: 'switched', comparedAt }, readOnly];
  }

  /** Leaves the account where it is, and rejects with the reason. */
  async #giveUp(begun: Move, error: unknown): Promise<never> {
    const { store, events } = this.#parts;
    const move = await readMove(store, begun.username);
    if (move === undefined || move.claim !== begun.claim) throw error;
    if (move.state === 'switched') throw error; // its answer was lost: running the command again finishes it
    const reason = errorMessage(error);
    const stays = `${reason}; ${move.username} stays here`;
    if (move.state === 'read_only') await reopen(this.#parts, move, reason);
    else if (move.state === 'copying') await store.write((tx) => recordFailure(tx, events, move, reason));
    const kept = move.state === 'read_only' ? { ...move, state: 'copying' as const } : move;
    try {
      await this.#discard(kept);
    } catch (cause) {
      const rest = `${move.target} keeps what it has got until the move is run again, or undone (--undo)`;
      throw saying(`${stays}, and ${rest}: ${errorMessage(cause)}`, error);
    }
    throw saying(stays, error);
  }

  /** Has the target remove what it has got; one that has left the fleet is not asked. A run that was interrupted does not wait long. */
  async #discard(move: Move): Promise<void> {
    const { store } = this.#parts;
    const node = (await fleetNodes(this.#parts)).get(move.target);
    if (move.state !== 'begun' && node !== undefined) {
      const { aborted } = this.#abort.signal;
      const signal = aborted ? AbortSignal.timeout(LEAVE_MS) : new AbortController().signal;
      const target = new Target(node, move, signal, this.#say);
      try {
        await target.discard();
      } finally {
        await target.close();
      }
    }
    await store.write((tx) => removeMove(tx, move));
  }

  /** An account that has moved may have been removed since. */
  async #leftToDo(username: string, to: string): Promise<readonly string[]> {
    const account = await this.#parts.identity.accounts.byUsername(username);
    return account === undefined ? [] : leftToDo(this.#parts, account, to);
  }

  /** Removes what is at the old home. A failure says that the account lives elsewhere all the same. */
  async #cleanUp(
    move: Move,
    files: MovedFiles,
    readOnlySeconds: number | null,
    isForced: boolean,
  ): Promise<Omit<MoveReport, 'next'>> {
    const { username, source: from, target: to } = move;
    try {
      const late = await removeLeft(this.#parts, move, { files, isForced, say: this.#say, signal: this.#abort.signal });
      return { username, from, to, readOnlySeconds, late, files: files.path };
    } catch (failure) {
      const { signal } = this.#abort;
      const error: unknown = signal.aborted ? signal.reason : failure;
      const detail = `${username} lives at ${to}, but something of it is still here: ${errorMessage(error)}; run this again`;
      throw saying(detail, error);
    }
  }
}
