import type { Host } from '../../../kernel/contract/plugin.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { AccountServers } from '../server/account-servers.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import type { Change, ClaimedItem, Item, Items, NewItem, Owner } from './items.ts';
import { isVerdict } from '../../../kernel/kit/databases/postgresql/client.ts';
import { dropDatabase, findDatabase, makeDatabase } from '../../../kernel/kit/databases/postgresql/databases.ts';
import {
  dropRole,
  hasRole,
  setAccess,
  setPassword,
  type ServerConnections,
} from '../../../kernel/kit/databases/postgresql/roles.ts';
import { retireTemporary } from '../temporary-users/temporary-users.ts';

interface Parts {
  readonly servers: AccountServers;
  readonly items: Items;
}

interface Steps {
  /** Rejects with what is in the way; is told how many there are with it. */
  readonly check: (server: ServerConnections, count: number) => Promise<void>;
  readonly make: (server: ServerConnections) => Promise<void>;
}

/** Makes something new. Errors: those of `Items.add` and of the steps; 503 `databases_unavailable`, `overloaded`. */
export function makeItem(
  { servers, items }: Parts,
  account: Owner,
  item: NewItem,
  { check, make }: Steps,
): Promise<void> {
  return servers.with(item.server, account, async (server) => {
    const { item: claimed, count } = await items.add(account, item);
    try {
      await check(server, count);
      await items.keepChecked(claimed);
    } catch (error) {
      await items.cancel(claimed);
      throw error;
    }
    await makeChange(items, account, claimed, server, () => make(server));
  });
}

/** Changes what is there. Errors: 409 `request_in_progress`; 503 `databases_unavailable`, `overloaded`. */
export function changeItem({ servers, items }: Parts, account: Owner, item: Item, change: Change): Promise<void> {
  return servers.with(item.server, account, async (server) =>
    makeChange(items, account, await items.claim(item, change), server),
  );
}

/**
 * Makes a claimed change at the server, and records it. Rejects with errors of `make`: an `HttpError` says that nothing was changed.
 * What the server refused to make is taken back; all else is left to be recovered.
 */
async function makeChange(
  items: Items,
  account: Owner,
  item: ClaimedItem,
  server: ServerConnections,
  make = () => apply(server, item),
): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (error instanceof HttpError) await items.cancel(item);
    else if (item.change.kind === 'create' && isVerdict(error)) await takeBack(items, item, server);
    else await items.abandon(item);
    throw error;
  }
  if (await items.complete(account, item)) return;
  if (item.change.kind === 'create') await drop(server, item);
  throw fail.account_not_found('the account was removed meanwhile');
}

async function takeBack(items: Items, item: ClaimedItem, server: ServerConnections): Promise<void> {
  try {
    await drop(server, item);
    await items.cancel(item);
  } catch {
    await items.abandon(item); // why it was not made is what the client hears
  }
}

/** Makes a change, or the rest of it. */
function apply(server: ServerConnections, item: ClaimedItem): Promise<void> {
  const { kind, name, change } = item;
  switch (change.kind) {
    case 'create':
      if (kind === 'user') throw new Error('a user is made with a password');
      return makeDatabase(server, name);
    case 'drop':
      return drop(server, item);
    case 'import':
    case 'export':
    case 'optimize':
    case 'check':
    case 'repair':
    case 'query':
      return retireTemporary(server, change.kind, name);
    case 'password':
      return setPassword(server.main, name, change.verifier);
    case 'access':
      return setAccess(server, name, change.database, change.level);
  }
}

const drop = (server: ServerConnections, { kind, name }: ClaimedItem): Promise<void> =>
  kind === 'database' ? dropDatabase(server, name) : dropRole(server, name);

/**
 * Ends the changes whose process has died or given up: each is made, but a user that was to be made is dropped, because nobody has
 * its password, and what was not checked is forgotten.
 */
export async function recoverChanges(
  { identity, servers, items }: Parts & Pick<Host, 'identity'>,
  attempt: AttemptPart,
): Promise<void> {
  for (const item of await items.changing()) {
    if (item.claimed_by !== '' && isRunning(item.claimed_by)) continue;
    const account = await identity.accounts.byId(item.account_id);
    // the process that a claim names is one of the account's home
    if (account === undefined || !identity.accounts.isHere(account) || account.isReadOnly) continue;
    await attempt(`a change by ${account.username}`, () =>
      servers.with(item.server, account, (server) => recoverChange(items, account, item, server)),
    );
  }
}

async function recoverChange(
  items: Items,
  account: Account,
  item: ClaimedItem,
  server: ServerConnections,
): Promise<void> {
  const isCreated = item.change.kind === 'create';
  if (item.change.kind === 'create' && (item.kind === 'user' || item.change.isChecked !== true)) {
    if (item.change.isChecked === true) await drop(server, item);
    return items.cancel(item);
  }
  try {
    await apply(server, item);
  } catch (error) {
    if (!isVerdict(error) || !(isCreated || (await isPointless(server, item)))) throw error;
    if (isCreated) await drop(server, item);
    return items.cancel(item);
  }
  await items.end(account, item, false);
}

/** Whether what a change is about is gone. */
async function isPointless({ main }: ServerConnections, { name, change }: ClaimedItem): Promise<boolean> {
  if (change.kind !== 'access' && change.kind !== 'password') return false;
  if (!(await hasRole(main, name))) return true;
  return change.kind === 'access' && (await findDatabase(main, change.database)) === undefined;
}
