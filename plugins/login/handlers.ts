import type { SessionRow } from '../../kernel/identity/gate/session-rows.ts';
import type { Sessions } from '../../kernel/identity/gate/sessions.ts';
import { ready } from '../../kernel/contract/reply.ts';
import type { PageCookie } from '../../kernel/contract/route-spec.ts';
import type { Caller, CredentialChanges } from './credentials/credential-changes.ts';
import { asOwner } from './credentials/login-links.ts';
import type { Static } from '../../kernel/schema.ts';
import type { AllSessions, SessionsQuery, SessionView } from './schema.ts';
import type { Twofa } from './twofa/twofa.ts';

/** Returns the handlers for sessions, the password and the second factor. */
export function credentialHandlers(sessions: Sessions, changes: CredentialChanges, twofa: Twofa) {
  return {
    logout: async ({ account, session, ip, page }: Caller & { readonly page: PageCookie | undefined }) => {
      await sessions.end(account, session.id, ip, 'logout');
      const loggedOut = { logged_out: true } as const;
      return page === undefined ? loggedOut : ready(loggedOut, { headers: { 'Set-Cookie': page.end() } });
    },
    sessions: async ({ account, session, query }: Caller & { readonly query: SessionsQuery }) => {
      const { rows, next } = await sessions.page(account.id, query.limit, query.cursor);
      return { sessions: rows.map((row) => sessionView(row, session.id)), next_cursor: next };
    },
    endSession: async (call: Caller & { readonly params: { id: string } }) => {
      const { account, session, params, ip } = call;
      const { id } = params;
      if (id !== session.id) asOwner(call);
      await sessions.end(account, id, ip);
      return { id, ended: true } as const;
    },
    password: (call: Caller & { readonly body: { password: string; new_password: string } }) =>
      changes.changePassword(asOwner(call), call.body.password, call.body.new_password),
    twofa: async ({ account }: Caller) => {
      const enabled = await twofa.isEnabled(account.id);
      return { enabled, method: enabled ? 'authenticator_app' : '', code: '' } as const;
    },
    setupTwofa: (call: Caller & { readonly body: { password: string } }) =>
      changes.setUpTwofa(asOwner(call), call.body.password),
    confirmTwofa: (call: Caller & { readonly body: { code: string } }) =>
      changes.confirmTwofa(asOwner(call), call.body.code),
    disableTwofa: (call: Caller & { readonly body: { password: string; code: string } }) =>
      changes.disableTwofa(asOwner(call), call.body.password, call.body.code),
  };
}

/** Returns a page of the sessions of all accounts. */
export async function allSessions(
  sessions: Sessions,
  { session, query }: Caller & { readonly query: { readonly limit: number; readonly cursor: string } },
): Promise<Static<typeof AllSessions>> {
  const [{ rows, next }, total] = await Promise.all([sessions.pageOfAll(query.limit, query.cursor), sessions.count()]);
  const views = rows.map(({ username, role, ...row }) => ({ username, role, ...sessionView(row, session.id) }));
  return { sessions: views, total, next_cursor: next };
}

function sessionView(
  { id, created_at, expires_at, ip, user_agent, opened_by }: SessionRow,
  currentId: string,
): SessionView {
  return {
    id,
    created_at: new Date(created_at).toISOString(),
    expires_at: new Date(expires_at).toISOString(),
    ip,
    user_agent,
    opened_by,
    current: id === currentId,
  };
}
