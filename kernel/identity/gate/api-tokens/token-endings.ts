import type { AuditLog } from '../../../store/events/audit-log.ts';
import type { Tx } from '../../../store/store.ts';

type Ended = { readonly id: string; readonly name: string; readonly account_id: number; readonly username: string };

/** Ends the tokens that a condition names, with an event for each. Resolves with their number. */
export async function endTokens(
  tx: Tx,
  events: AuditLog,
  {
    where,
    values,
    reason,
    ip,
  }: {
    /** On `api_tokens` as `t` and `accounts`. */
    readonly where: string;
    readonly values: readonly (string | number)[];
    readonly reason: 'removed' | 'suspended' | 'feature';
    readonly ip: string;
  },
): Promise<number> {
  const ended = await tx.all<Ended>(
    `select t.id, t.name, t.account_id, username from api_tokens t join accounts on accounts.id = t.account_id
      where ${where}`,
    ...values,
  );
  for (const { id, name, account_id: accountId, username } of ended) {
    await tx.run('delete from api_tokens where id = ?', id);
    await events.record(tx, {
      type: 'token.ended',
      account: { id: accountId, username },
      text: `ended the API token ${name}`,
      ip,
      data: { id, name, reason },
    });
  }
  return ended.length;
}

/**
 * Ends what tokens may do with features that their accounts no longer hold, and tokens that may do nothing any more. A
 * feature that comes back does not bring them back: its owner makes another.
 */
export async function endLostScopes(
  tx: Tx,
  events: AuditLog,
  of: { readonly accountId: number } | { readonly plan: string },
  ip: string,
): Promise<void> {
  const [isMeant, value] = 'plan' in of ? ['accounts.plan = ?', of.plan] : ['accounts.id = ?', of.accountId];
  const { changes } = await tx.run(
    `delete from api_token_scopes where (token_id, area, access) in (
      select s.token_id, s.area, s.access from accounts
        join api_tokens t on t.account_id = accounts.id join api_token_scopes s on s.token_id = t.id
        where role = 'user' and ${isMeant} and (accounts.plan is null or 1 <> coalesce(
          (select granted from account_features f where f.account_id = accounts.id and f.feature = s.area),
          (select 1 from plan_features p where p.plan = accounts.plan and p.feature = s.area), 0)))`,
    value,
  );
  if (changes === 0) return;
  const hasNone = 'not exists (select 1 from api_token_scopes s where s.token_id = t.id)';
  await endTokens(tx, events, { where: `${isMeant} and ${hasNone}`, values: [value], reason: 'feature', ip });
}
