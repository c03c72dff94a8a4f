import type { Role } from '../accounts/account.ts';
import { newGrant, type ApiTokens, type TokenGrant } from './api-tokens/api-tokens.ts';
import { hasTokenPrefix } from './api-tokens/token-text.ts';
import type { Keyring } from './keyring.ts';

/** The claims of a genuine token; the store knows whether it is still valid. */
export interface VerifiedToken {
  readonly id: string;
  readonly accountId: number;
  readonly audience: Role;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The rights of an API token; none until its row is read again, with its account. `undefined` for the token of a login. */
  grant: TokenGrant | undefined;
}

const NOTHING = newGrant([], []);

/** Resolves with the token of an `Authorization` header; `undefined` if it has none, or one that is not genuine. */
export async function verifyToken(
  header: string,
  keys: Keyring,
  tokens: ApiTokens,
): Promise<VerifiedToken | undefined> {
  const text = /^bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  return hasTokenPrefix(text) ? verifyApiToken(text, tokens) : verifyLogin(text, keys);
}

async function verifyLogin(text: string, keys: Keyring): Promise<VerifiedToken | undefined> {
  const claims = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) ? await keys.verify(text) : undefined;
  if (claims === undefined) return undefined;
  const { jti: id, sub, aud: audience, exp } = claims;
  return { id, accountId: Number(sub), audience, expiresAt: exp * 1000, grant: undefined };
}

async function verifyApiToken(text: string, tokens: ApiTokens): Promise<VerifiedToken | undefined> {
  const token = await tokens.find(text);
  if (token === undefined) return undefined;
  const { id, accountId, role: audience, expiresAt } = token;
  return { id, accountId, audience, expiresAt, grant: NOTHING };
}
