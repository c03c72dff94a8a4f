import { fail } from '../errors.ts';
import { NamedObject, Type, type Static } from '../schema.ts';
import { ready, Reply } from '../contract/reply.ts';
import type { PageCookie } from '../contract/route-spec.ts';

/** The reply of each route that logs somebody in. */
export const LoginReply = NamedObject('Login', {
  token: Type.String({
    description: 'Bearer token (JWT); empty for a page of this address, which has it in a cookie instead',
  }),
  user_id: Type.Integer({ description: 'Number of the account' }),
  expires_in: Type.Integer({ description: 'Seconds' }),
});
export type LoggedIn = Static<typeof LoginReply>;

/** Longer user agents are cut. */
export const USER_AGENT_CHARACTERS = 512;

/** The service of the plugin `login`, for plugins that use it. */
export interface LoginHistory {
  /** Returns the last successful logins of an account, newest first; `at` is in milliseconds since 1970. */
  last(
    accountId: number,
    limit: number,
    offset?: number,
  ): Promise<readonly { readonly at: number; readonly ip: string }[]>;
}

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
