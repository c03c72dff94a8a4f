import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { Tx } from '../../../kernel/store/store.ts';
import type { Caller } from '../credentials/credential-changes.ts';
import type { TwofaReset } from './schema.ts';
import type { Twofa } from './twofa.ts';
import { fail } from '../errors.ts';

type AdminCall = Caller & { readonly params: { readonly username: string } };

interface Reset {
  /** The administrator's name; `null` for the command line. */
  readonly by: string | null;
  readonly ip: string;
  /** Rejects if the administrator may not do it after all. */
  readonly check?: (tx: Tx) => Promise<void>;
}

/**
 * Removes the second factor of an account whose owner has lost it, with its recovery codes and any pending set-up, and
 * ends its sessions. Errors: 404 `account_not_found`; 403 `reauthentication_required`; 409 `own_account`, because a token
 * alone must not remove the second factor of its own account.
 */
export async function resetTwofa(
  host: Host,
  twofa: Twofa,
  { account: by, session, ip, params: { username } }: AdminCall,
): Promise<Static<typeof TwofaReset>> {
  const { identity } = host;
  const account = await identity.accounts.get(username);
  if (account.id === by.id)
    throw fail.own_account('turn off your own with password and code, or let another administrator reset it');
  await removeSecondFactor(host, twofa, account, {
    by: by.username,
    ip,
    check: (tx) => identity.reauthentication.assertRecent(tx, session),
  });
  return { username, enabled: false };
}

/** Resolves with whether there was a second factor; only then the sessions end. */
export async function removeSecondFactor(
  { identity, events }: Pick<Host, 'identity' | 'events'>,
  twofa: Twofa,
  account: Account,
  { by, ip, check }: Reset,
): Promise<boolean> {
  let wasEnabled = false;
  await identity.sessions.endOthers(account, '', ip, async (tx) => {
    await check?.(tx);
    await identity.accounts.assertExists(tx, account);
    wasEnabled = await twofa.isEnabled(account.id, tx);
    await twofa.disable(tx, account.id);
    if (!wasEnabled) return false;
    await events.record(tx, {
      type: 'twofa.reset',
      account,
      text: `had two-factor authentication turned off${by === null ? '' : ` by the administrator '${by}'`}`,
      ip,
      data: { by },
    });
    return true;
  });
  return wasEnabled;
}
