import { createHash, timingSafeEqual } from 'node:crypto';
import { scopeRequired, unauthenticated } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';

const SCOPE = 'metrics:read';

/**
 * Returns a check of the Authorization header: it passes the configured token and those of administrators, and rejects
 * anything else with 401 `authentication_required`, an API token without the scope with 403 `scope_required`.
 */
export function accessCheck(
  token: string,
  sessions: Pick<Host['identity']['sessions'], 'resolve'>,
): (authorization: string, client: { readonly ip: string }) => Promise<void> {
  const expected = digest(token);
  return async (authorization, client) => {
    const given = /^bearer +(\S.*)$/i.exec(authorization)?.[1];
    if (given === undefined) throw unauthenticated();
    if (token !== '' && timingSafeEqual(digest(given), expected)) return;
    const known = await sessions.resolve(authorization, client.ip);
    if (known?.account.role !== 'admin') throw unauthenticated();
    if (known.session.grant?.scopes.has(SCOPE) === false) throw scopeRequired([SCOPE]);
  };
}

/** Makes all tokens equally long, so that the comparison takes the same time for each. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
