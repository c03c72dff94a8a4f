import { isIP } from 'node:net';
import type { Identity } from '../../../kernel/identity/identity.ts';
import type { AuditLog } from '../../../kernel/store/events/audit-log.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { addressNetwork } from '../../../kernel/kit/net/ip.ts';
import { addKnownNetwork, unlockLogins } from '../store.ts';
import { fail } from '../errors.ts';

interface Parts {
  readonly identity: Identity;
  readonly store: Store;
  readonly events: AuditLog;
}
interface Unlock {
  /** The administrator's name; `null` for the command line. */
  readonly by: string | null;
  /** The administrator's address; empty for the command line. */
  readonly ip: string;
  /** An address of the owner, whose network counts as known from now on; empty for none. */
  readonly from: string;
}

/**
 * Forgets the failed logins of an account, from all networks, so that its owner can log in at once. With `from`, an
 * attack that goes on does not lock the owner out of that network again. Errors: 400 `invalid_request`, 404
 * `account_not_found`.
 */
export async function unlock(
  { identity: { accounts }, store, events }: Parts,
  username: string,
  { by, ip, from }: Unlock,
): Promise<{ username: string; unlocked: true }> {
  const account = await accounts.get(username);
  if (from !== '' && isIP(from) === 0) throw fail.invalid_request(`${from} is not an IP address`);
  await store.write(async (tx) => {
    await accounts.assertExists(tx, account);
    await unlockLogins(tx, account.id, Date.now());
    if (from !== '') await addKnownNetwork(tx, account.id, addressNetwork(from), Date.now());
    await events.record(tx, {
      type: 'account.unlocked',
      account,
      text: `was unlocked${by === null ? '' : ` by the administrator '${by}'`}${from === '' ? '' : ` for ${from}`}`,
      ip,
      data: { by },
    });
  });
  return { username, unlocked: true };
}
