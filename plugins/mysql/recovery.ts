import type { Host } from '../../kernel/contract/plugin.ts';
import type { DatabaseClient, OwnNames } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { isRunning } from '../../kernel/kit/programs/process-id.ts';
import type { AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { AccountServers } from './account-servers.ts';
import type { Changes, ClaimedChange } from './changes.ts';
import { dropDatabase } from './databases.ts';
import type { AccessRights } from './users/access-rights.ts';
import { retireTemporary } from './users/temporary-users.ts';
import { dropUser } from './users/user-statements.ts';
import { readPasswordDigest, readUsers } from './users/users.ts';

interface Parts extends Pick<Host, 'identity'> {
  readonly servers: AccountServers;
  readonly changes: Changes;
  readonly rights: AccessRights;
}

/**
 * Ends the changes whose process has died or given up. A database that is there was made, and is recorded; a user is dropped,
 * because nobody has its password, unless it may have been there before, and so is that of an import, a query or maintenance; what was to be dropped is dropped, and rights are set as they
 * were to be; a new password is recorded if it was set.
 */
export async function recoverChanges(parts: Parts, attempt: AttemptPart): Promise<void> {
  const { identity, changes } = parts;
  for (const claimed of await changes.all()) {
    if (claimed.claimed_by !== '' && isRunning(claimed.claimed_by)) continue;
    const account = await identity.accounts.byId(claimed.account_id);
    // the process that a claim names is one of the account's home
    if (account === undefined || !identity.accounts.isHere(account) || account.isReadOnly) continue;
    await attempt(`a change by ${account.username}`, () => recover(account, claimed, parts));
  }
}

function recover(account: Account, claimed: ClaimedChange, { servers, changes, rights }: Parts): Promise<unknown> {
  const { kind, name, host, change, about = {} } = claimed;
  if (servers.of(account) === undefined) return changes.cancel(claimed);
  return servers.with(account, async ({ client, ownNames }) => {
    const own = await ownNames();
    const end = (isDone: boolean) => (isDone ? changes.complete(account, claimed) : changes.cancel(claimed));
    switch (kind) {
      case 'import':
      case 'maintenance':
      case 'query':
        await retireTemporary(client, kind, name, host);
        return changes.end(account, claimed, false);
      case 'database':
        if (change === 'create') return end(own.databases.includes(name));
        await dropDatabase(client, own, name);
        return end(true);
      case 'user':
        if (change === 'create' && about.isChecked !== true) return changes.cancel(claimed);
        await dropUser(client, { name, host });
        return end(change === 'drop');
      case 'password':
        return end((await readPasswordDigest(client, { name, host })) !== about.before);
      case 'access':
        return end(await recoverAccess(client, own, claimed, rights));
    }
  });
}

/** Sets rights as they were to be. Resolves with `false` if user or database is gone. */
async function recoverAccess(
  client: DatabaseClient,
  own: OwnNames,
  { account_id: id, name, host, change, about: { database = '', privileges = [] } = {} }: ClaimedChange,
  rights: AccessRights,
): Promise<boolean> {
  const isThere = (await readUsers(client, own)).some((user) => user.name === name && user.host === host);
  if (!isThere || !own.databases.includes(database)) return false;
  if (change === 'create') await rights.set(client, { id }, { name, host }, database, privileges);
  else await rights.revoke(client, { id }, { name, host }, database);
  return true;
}
