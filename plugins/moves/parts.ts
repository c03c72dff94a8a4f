import type { NodeInfo } from '../../kernel/contract/node-info.ts';
/** Data of an account that plugins keep beside its files, at both ends of its move. */
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { HttpError, errorMessage } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Leaving, MovedAccount, MoveLink, MovePart, Mover } from '../../kernel/contract/points/move-part.ts';
import { fail } from './errors.ts';

const LEFT_TO_DO_MS = 30_000;

export type PartsHost = Pick<Host, 'gather'> & { readonly node: NodeInfo };

/** Resolves with the parts by the names of their plugins. Errors: 409 `move_refused` while a plugin cannot say what it has. */
export async function gatherMoveParts({ gather, node }: PartsHost): Promise<Map<string, MovePart>> {
  const away = node.plugins().find(({ state, keepsByName }) => state === 'unavailable' && keepsByName === true);
  if (away !== undefined)
    throw refused(`the plugin ${away.name} is unavailable, and may have something of it: ${away.reason ?? ''}`);
  const parts = new Map<string, MovePart>();
  for (const answer of await gather('move')) {
    if (!answer.ok) throw refused(`${answer.plugin}: ${errorMessage(answer.error)}`);
    parts.set(answer.plugin, answer.value);
  }
  return parts;
}

/** Resolves with those parts that can move something. Errors: 409 `move_refused`. */
export async function gatherMovers(host: PartsHost): Promise<[plugin: string, mover: Mover][]> {
  const all = [...(await gatherMoveParts(host))];
  return all.flatMap(([plugin, { mover }]) => (mover === undefined ? [] : [[plugin, mover]]));
}

/** Resolves with what the operator has to do at the new home of an account; a plugin that cannot say it is named. */
export async function leftToDo(host: PartsHost, account: Account, node: string): Promise<string[]> {
  const asked = [...(await gatherMoveParts(host))].map(async ([plugin, part]) => {
    try {
      return await withDeadline(Promise.resolve(part.leftToDo?.(account, node) ?? []), LEFT_TO_DO_MS);
    } catch (error) {
      return [`see what the plugin ${plugin} needs there, which it cannot say: ${errorMessage(error)}`];
    }
  });
  return (await Promise.all(asked)).flat();
}

/** Calls a method of all movers. Rejects with the first failure, after all have been called. */
export async function forMovers(host: PartsHost, work: (mover: Mover) => Promise<void>): Promise<void> {
  const ended = await Promise.allSettled((await gatherMovers(host)).map(([, mover]) => work(mover)));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

/** The parts of all plugins in one run of the command at the old home, plugin after plugin. */
export class LeavingParts implements Leaving {
  readonly #leaving: readonly Leaving[];

  private constructor(leaving: readonly Leaving[]) {
    this.#leaving = leaving;
  }

  /** Errors: 409 `move_refused`. */
  static async of(host: PartsHost, account: MovedAccount, linkTo: (plugin: string) => MoveLink): Promise<LeavingParts> {
    const movers = await gatherMovers(host);
    return new LeavingParts(movers.map(([plugin, mover]) => mover.leave(account, linkTo(plugin))));
  }

  async begin(): Promise<void> {
    for (const each of this.#leaving) await each.begin();
  }

  async copy(): Promise<void> {
    for (const each of this.#leaving) await each.copy();
  }

  async close(): Promise<void> {
    for (const each of this.#leaving) await each.close();
  }

  async assertClosed(): Promise<void> {
    for (const each of this.#leaving) await each.assertClosed();
  }

  /** Never rejects: what cannot be ended ends with the process. */
  async end(hasMoved: boolean): Promise<void> {
    await Promise.allSettled(this.#leaving.map((each) => each.end(hasMoved)));
  }
}

const refused = (detail: string): HttpError => fail.move_refused(detail);
