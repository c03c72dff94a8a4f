import { createHash, timingSafeEqual } from 'node:crypto';
import type { Host } from '../../kernel/plugin-api/plugin.ts';
import { unauthenticated } from '../../kernel/errors.ts';

/** Lets in who holds the token of the configuration, or an admin's. Anybody else gets the 401 of every route. */
export function guard(
  token: string,
  sessions: Pick<Host['identity']['sessions'], 'resolve'>,
): (authorization: string) => Promise<void> {
  const expected = digest(token);
  return async (authorization) => {
    const given = /^bearer +(\S.*)$/i.exec(authorization)?.[1];
    if (given === undefined) throw unauthenticated();
    if (token !== '' && timingSafeEqual(digest(given), expected)) return;
    const known = await sessions.resolve(authorization);
    if (known?.account.role !== 'admin') throw unauthenticated();
  };
}

/** Of one length for all, so that comparing tells nothing of it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
