import type { Host } from '../../kernel/contract/plugin.ts';
import type { AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { AccountServers } from './server/account-servers.ts';
import type { Item, Items } from './items/items.ts';
import { setLocked } from '../../kernel/kit/databases/postgresql/roles.ts';

interface Parts extends Pick<Host, 'identity'> {
  readonly servers: AccountServers;
  readonly items: Items;
}

/** Lets no database user of a suspended account log in, and ends what it does, until the account is not suspended any more. */
export async function lockSuspended(
  { identity: { accounts }, servers, items }: Parts,
  attempt: AttemptPart,
): Promise<void> {
  const owners = new Map<number, Item[]>();
  for (const user of await items.users()) owners.set(user.account_id, [...(owners.get(user.account_id) ?? []), user]);
  for (const [id, users] of owners) {
    const account = await accounts.byId(id);
    if (account === undefined || !accounts.isHere(account) || account.isReadOnly) continue;
    const different = users.filter((user) => (user.is_locked === 1) !== account.suspended);
    await attempt(`users of PostgreSQL of ${account.username}`, async () => {
      for (const user of different)
        await servers.with(user.server, account, async ({ main }) => {
          await setLocked(main, user.name, account.suspended);
          await items.keepLocked(user, account.suspended);
        });
    });
  }
}
