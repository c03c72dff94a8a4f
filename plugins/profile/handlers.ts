import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';
import type { LoginHistory } from '../../kernel/areas/login.ts';
import { formatTime } from '../../kernel/kit/format.ts';
import type { CountryDatabase } from './country.ts';
import type { AccountEventPage, ActivityPage, ActivityQuery, EventsQuery, Languages, LoginRecords } from './schema.ts';

const PAGE_LINES = 25;
const HISTORY_ENTRIES = 20;

/** Returns one page of the activity log, newest first; a page past the end has no lines. */
export async function activityPage(
  events: AuditLog,
  account: Account,
  { page, search, show_all: showAll }: ActivityQuery,
): Promise<ActivityPage> {
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

/** Returns one page of the same log as data, told in a language. */
export async function eventPage(
  { events, node: { locales } }: Pick<Host, 'events' | 'node'>,
  account: Account,
  language: string,
  { search, limit, cursor }: EventsQuery,
): Promise<AccountEventPage> {
  const [at = 0, id = 0] = cursor.split('-').map(Number);
  const found = await events.ofAccount(account.id, search, limit + 1, cursor === '' ? undefined : [at, id]);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    events: page.map((event) => ({
      id: event.id,
      at: new Date(event.at).toISOString(),
      type: event.type,
      ip: event.ip,
      summary: locales.eventText(language, event),
      data: { ...event.data },
    })),
    next_cursor: last === undefined ? null : `${last.at}-${last.id}`,
  };
}

export async function loginHistory(
  logins: LoginHistory,
  account: Account,
  countries: CountryDatabase,
): Promise<LoginRecords> {
  const [last, countryOf] = await Promise.all([logins.last(account.id, HISTORY_ENTRIES), countries.lookup()]);
  return last.map(({ at, ip }) => {
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

/** Returns members of the dashboard, each only where the account has its feature. */
export async function dashboardPart(logins: LoginHistory, { id, features, locale }: Account): Promise<DashboardPart> {
  const [previous] = features.has('login_history') ? await logins.last(id, 1, 1) : [];
  return { last_ip: previous?.ip ?? '', locale: features.has('locale') ? locale : '' };
}
