import type { Readable } from 'node:stream';
import { fail } from '../../errors.ts';
import type { Account } from '../../identity/accounts/account.ts';

/** An account as both ends of its move know it. */
export type MovedAccount = Pick<Account, 'id' | 'username'>;

/** So long after the changes of an account began to be refused, every process of its home does so. */
export const IN_FORCE_MS = 1500;

/** How what a plugin keeps of an account, beside its files and the rows of the store, goes to another node. */
export interface MovePart {
  /** Returns what of an account at this node cannot go to another one. A failure is in the way, too. */
  obstacles(account: Account): readonly string[] | Promise<readonly string[]>;
  /** Returns what the operator has to do at a node before an account moves there, each in the imperative. */
  leftToDo?(account: Account, node: string): readonly string[] | Promise<readonly string[]>;
  /** Absent where nothing moves: what `obstacles` does not find is not there. */
  readonly mover?: Mover;
}

/** Both ends of a move. */
export interface Mover {
  /** Returns what one run of the command does at the old home. */
  leave(account: MovedAccount, link: MoveLink): Leaving;
  /** Opens at the old home what a run has closed that may have been killed. The account stays. */
  reopen(account: MovedAccount): Promise<void>;
  /** Removes at the old home what has moved. Rejects for what was changed too late, unless `isForced`. Can be repeated. */
  remove(account: MovedAccount, isForced: boolean): Promise<void>;
  /** Answers at the new home what the same plugin asks from the old one. */
  arrive(arrival: Arrival): Promise<unknown>;
  /** Removes at the new home what has come of the account. Called again after a failure. */
  discard(account: MovedAccount): Promise<void>;
}

/** One run at the old home, in the order of its steps. Each rejects with why the account stays. */
export interface Leaving {
  /** Makes sure that all can move; changes nothing at either end. */
  begin(): Promise<void>;
  /** Brings all, while everybody goes on changing it. */
  copy(): Promise<void>;
  /** Locks the account's data and copies the remaining differences; `Mover.reopen` opens it. */
  close(): Promise<void>;
  /** Rejects if something may have been changed since `close`. */
  assertClosed(): Promise<void>;
  /** Ends the run, whatever its steps did. If the account has moved, what waited to change something fails. */
  end(hasMoved: boolean): Promise<void>;
}

/** The way from the old home to the new one. */
export interface MoveLink {
  /** Tells people which step begins. */
  readonly say: (step: string) => void;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Resolves with what `Mover.arrive` of the new home answers, as JSON. Errors: those of the other node, 503 `node_unreachable`. */
  ask(request: MoveRequest, body: string | AsyncIterable<Buffer>): Promise<unknown>;
}

export interface MoveRequest {
  readonly name: string;
  /** The subject, e.g. the name of a database. */
  readonly about?: string;
}

export interface Arrival extends MoveRequest {
  readonly account: MovedAccount;
  readonly body: Readable;
  /** Aborted when the other node has gone, or asks for something else. */
  readonly signal: AbortSignal;
}

interface ClosedMover {
  /** Ends what serves an account at this node. */
  readonly end: (account: MovedAccount) => Promise<unknown>;
  /** Whether something serves it at this node. */
  readonly isServed: (account: MovedAccount) => Promise<boolean>;
  /** For people, such as `logins`. */
  readonly what: string;
  readonly discard?: Mover['discard'];
}

/** Returns the mover of what only serves an account, by what is stored: it ends here, and a reconciliation begins it at either end. */
export function closedMover({ end, isServed, what, discard }: ClosedMover): Mover {
  const nothing = async (): Promise<void> => undefined;
  return {
    leave: (account) => ({
      begin: nothing,
      copy: nothing,
      close: async () => void (await end(account)),
      assertClosed: async () => {
        if (await isServed(account)) throw new Error(`its ${what} were started again`);
      },
      end: nothing,
    }),
    reopen: nothing,
    remove: async (account) => void (await end(account)),
    arrive: async () => {
      throw fail.invalid_request(`nothing of ${what} is sent`);
    },
    discard: discard ?? nothing,
  };
}
