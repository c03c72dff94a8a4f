import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { SessionRow } from '../../kernel/identity/gate/session-rows.ts';
import type { Session, Sessions } from '../../kernel/identity/gate/sessions.ts';
import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { fail } from './errors.ts';
import * as schema from './schema.ts';

/** The sessions of the own account, and for administrators those of all. */
export const sessionRoutes = {
  sessions: {
    method: 'GET',
    path: '/api/account/sessions',
    address: 'both',
    feature: 'sessions',
    summary: 'List the sessions of the account',
    description: 'An account has at most 100 sessions: a login beyond that ends the oldest.',
    query: schema.SessionsQuery,
    reply: schema.SessionsReply,
  },
  endSession: {
    method: 'DELETE',
    path: '/api/account/sessions/:id',
    address: 'both',
    feature: 'sessions',
    tokens: 'refused',
    summary: 'End one session',
    description: 'Its token is refused from the next request on.',
    params: schema.SessionParams,
    reply: schema.SessionEnded,
    errors: ['session_not_found', 'owner_required'],
  },
  allSessions: {
    method: 'GET',
    path: '/api/sessions',
    address: 'admin',
    access: 'admin',
    summary: 'List the sessions of all accounts',
    description: 'Sessions of logins; API tokens are not among them.',
    query: schema.AllSessionsQuery,
    reply: schema.AllSessions,
  },
} as const satisfies RouteSpecs;

interface Caller {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
}

/** Returns the handlers of the routes of sessions. */
export function sessionHandlers(sessions: Sessions) {
  return {
    sessions: async ({ account, session, query }: Caller & { readonly query: schema.SessionsQuery }) => {
      const { rows, next } = await sessions.page(account.id, query.limit, query.cursor);
      return { sessions: rows.map((row) => sessionView(row, session.id)), next_cursor: next };
    },
    endSession: async ({ account, session, params: { id }, ip }: Caller & { readonly params: { id: string } }) => {
      if (id !== session.id && session.openedBy !== null)
        throw fail.owner_required('this session was opened by an administrator, who does not act as the owner');
      await sessions.end(account, id, ip);
      return { id, ended: true } as const;
    },
    allSessions: async ({ session, query }: Caller & { readonly query: schema.SessionsQuery }) => {
      const [{ rows, next }, total] = await Promise.all([
        sessions.page(undefined, query.limit, query.cursor),
        sessions.count(),
      ]);
      const views = rows.map(({ username, role, ...row }) => ({ username, role, ...sessionView(row, session.id) }));
      return { sessions: views, total, next_cursor: next };
    },
  };
}

function sessionView(
  { id, created_at, expires_at, ip, user_agent, opened_by }: SessionRow,
  currentId: string,
): schema.SessionView {
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
