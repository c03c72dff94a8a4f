import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { SessionRow } from '../../kernel/identity/gate/session-rows.ts';
import type { Sessions } from '../../kernel/identity/gate/sessions.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { ready } from '../../kernel/contract/reply.ts';
import type { PageCookie } from '../../kernel/contract/route-spec.ts';
import { formatTime } from '../../kernel/kit/format.ts';
import type { CountryDatabase } from './country.ts';
import type { Caller, CredentialChanges } from './login/credential-changes.ts';
import { asOwner } from './login/login-links.ts';
import type { Static } from '../../kernel/schema.ts';
import type {
  ActivityPage,
  AllSessions,
  ActivityQuery,
  Languages,
  LoginHistory,
  SessionsQuery,
  SessionView,
} from './schema.ts';
import { lastLogins } from './store.ts';
import type { Twofa } from './twofa/twofa.ts';

const PAGE_LINES = 25;
const HISTORY_ENTRIES = 20;

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

/** Returns one page of the activity log, newest first; a page past the end has no lines. */
export async function activityPage(
  events: AuditLog,
  account: Account,
  { page, search, show_all }: ActivityQuery,
): Promise<ActivityPage> {
  const showAll = show_all === 'true';
  const { lines, total } = await events.page(
    account.id,
    search,
    showAll ? 0 : (page - 1) * PAGE_LINES,
    showAll ? -1 : PAGE_LINES,
  );
  return {
    log_content: lines,
    current_page: showAll ? 1 : page,
    items_per_page: showAll ? total : PAGE_LINES,
    total_pages: showAll ? 1 : Math.max(1, Math.ceil(total / PAGE_LINES)),
    total_lines: total,
    search_term: search,
    show_all: showAll,
  };
}

export async function loginHistory(
  reader: Reader,
  account: Account,
  countries: CountryDatabase,
): Promise<LoginHistory> {
  const [logins, countryOf] = await Promise.all([lastLogins(reader, account.id, HISTORY_ENTRIES), countries.lookup()]);
  return logins.map(({ at, ip }) => {
    const times = { login_time: formatTime(at), login_at: new Date(at).toISOString() };
    return { country_code: countryOf(ip), ip, ...times };
  });
}

export function languages({ locales }: Host['node'], account: Account): Languages {
  return { locales: [...locales.names], current: locales.names.includes(account.locale) ? account.locale : 'en' };
}

/** Errors: 400 `invalid_request` for a language that is not installed. */
export async function setLanguage(
  { node, identity }: Pick<Host, 'node' | 'identity'>,
  account: Account,
  locale: string,
  ip: string,
): Promise<Languages> {
  const { names } = node.locales;
  if (!names.includes(locale))
    throw invalid('body', [{ path: '/locale', message: `must be one of ${names.join(', ')}` }]);
  return languages(
    node,
    locale === account.locale ? account : await identity.accounts.update(account.username, { locale }, ip),
  );
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
