import type { Account } from '../../../kernel/identity/accounts.ts';
import type { Session } from '../../../kernel/identity/sessions.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { TwofaReset } from '../schema.ts';
import type { Twofa } from './twofa.ts';

/** `account` is the administrator. */
interface AdminCall {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
  readonly params: { readonly username: string };
}

/**
 * Removes the second factor of an account whose owner has lost it, with its recovery codes and any pending set-up, and
 * ends its sessions. Errors: 404 `account_not_found`; 403 `reauthentication_required`; 409 `own_account`, because a token
 * alone must not remove the second factor of its own account.
 */
export async function resetTwofa(
  { identity, events }: Host,
  twofa: Twofa,
  { account: by, session, ip, params: { username } }: AdminCall,
): Promise<Static<typeof TwofaReset>> {
  const account = await identity.accounts.get(username);
  if (account.id === by.id)
    throw new HttpError(
      'own_account',
      'turn off your own with password and code, or let another administrator reset it',
    );
  await identity.sessions.endOthers(account, '', ip, async (tx) => {
    await identity.sessions.assertReauthenticated(tx, session);
    await identity.accounts.assertExists(tx, account);
    const wasEnabled = await twofa.isEnabled(account.id, tx);
    await twofa.disable(tx, account.id);
    if (!wasEnabled) return false;
    await events.record(tx, {
      type: 'twofa.reset',
      account,
      text: `had two-factor authentication turned off by the administrator '${by.username}'`,
      ip,
      data: { by: by.username },
    });
    return true;
  });
  return { username, enabled: false };
}
