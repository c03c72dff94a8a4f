import type { Account } from '../../../kernel/identity/accounts.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { TwofaReset } from '../schema.ts';
import type { Twofa } from './twofa.ts';

/** Who asks, about whom. */
interface Order {
  readonly account: Account;
  readonly ip: string;
  readonly params: { readonly username: string };
}

/**
 * Takes the second factor away from an account whose owner lost it, recovery codes and a set-up that waits included;
 * its sessions end. Where there is none, nothing happens. Errors: 404 `account_not_found`; 409 `own_account`, because
 * a token alone must not switch off the second factor of whom it belongs to.
 */
export async function resetTwofa(
  { identity, events, store }: Host,
  twofa: Twofa,
  { account: by, ip, params: { username } }: Order,
): Promise<Static<typeof TwofaReset>> {
  const account = await identity.accounts.get(username);
  if (account.id === by.id)
    throw new HttpError('own_account', 'turn your own off with password and code, or ask another administrator');
  if (await twofa.isEnabled(account.id)) {
    await identity.sessions.endOthers(account, '', ip, async (tx) => {
      await twofa.disable(tx, account.id);
      await events.record(tx, {
        type: 'twofa.reset',
        account,
        text: `had two-factor authentication turned off by the administrator '${by.username}'`,
        ip,
        data: { by: by.username },
      });
    });
  } else {
    await store.write((tx) => twofa.disable(tx, account.id));
  }
  return { username, enabled: false };
}
