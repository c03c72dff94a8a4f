import type { Identity } from '../../kernel/identity/identity.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import type { SessionView } from './schema.ts';

/** Resolves with the session of an `Authorization` header or of a page's cookie; null if it is none of this address. */
export async function sessionView(
  node: NodeInfo,
  { sessions }: Identity,
  address: Address,
  authorization: string,
): Promise<SessionView | null> {
  const known = authorization === '' ? undefined : await sessions.resolve(authorization);
  if (known === undefined || (known.account.role === 'admin') !== (address === 'admin')) return null;
  const { account, session } = known;
  return {
    username: account.username,
    role: account.role,
    plan: account.plan?.name ?? null,
    locale: account.locale,
    locales: [...node.locales.names],
    features: [...node.providedFeatures(account)],
    switched_off: node.plugins().flatMap(({ name, state }) => (state === 'off' ? [name] : [])),
    expires_at: new Date(session.expiresAt).toISOString(),
    opened_by: session.openedBy,
    version: node.version,
    node: (address === 'admin' && node.fleet?.name) || null,
  };
}
