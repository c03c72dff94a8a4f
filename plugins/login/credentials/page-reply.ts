import { ready, Reply } from '../../../kernel/contract/reply.ts';
import type { PageCookie } from '../../../kernel/contract/route-spec.ts';
import type { LoggedIn } from './login.ts';
import { fail } from '../errors.ts';

/** Rejects a page of another origin, before it learns whether a password is right. Errors: 403 `foreign_origin`. */
export function assertOwnPage(header: string, page: PageCookie | undefined): void {
  if (header === '1' && page === undefined)
    throw fail.foreign_origin('Hostkeep-Page is for pages of this address, over HTTPS or from localhost');
}

/** Returns what a login answers: to a page the cookie, and the token to nobody who has the cookie. */
export function asPageReply(result: LoggedIn | Reply, page: PageCookie | undefined): LoggedIn | Reply {
  if (page === undefined || result instanceof Reply) return result;
  const cookie = page.begin(result.token, result.expires_in);
  return ready({ ...result, token: '' }, { headers: { 'Set-Cookie': cookie } });
}
