/** What the pages of an account show: its log, its logins, its languages and sessions. */
import type { Account } from '../../kernel/identity/accounts.ts';
import { formatTime } from '../../kernel/system/format-time.ts';
import type { AuditLog } from '../../kernel/storage/audit-log.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/plugin-api/plugin.ts';
import type { DashboardPart } from '../../kernel/plugin-api/points/dashboard-part.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import type { SessionRow } from '../../kernel/identity/sessions.ts';
import type { Reader } from '../../kernel/storage/store.ts';
import type { CountryDatabase } from './country.ts';
import type { Login } from './login/login.ts';
import type { ActivityPage, ActivityQuery, Languages, LoginHistory, SessionView } from './schema.ts';
import { lastLogins } from './store.ts';
import type { Throttle } from './login/throttle.ts';
import type { Twofa } from './twofa/twofa.ts';

const PAGE_LINES = 25;
const HISTORY_ENTRIES = 20;

/** One page of the log, newest first; a page past the end has no lines. */
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
    total_pages: showAll ? 1 : Math.ceil(total / PAGE_LINES),
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
  return logins.map(({ at, ip }) => ({ country_code: countryOf(ip), ip, login_time: formatTime(at) }));
}

/** A session as its account sees it. */
export function sessionView(
  { id, created_at, expires_at, ip, user_agent }: SessionRow,
  currentId: string,
): SessionView {
  return {
    id,
    created_at: formatTime(created_at),
    expires_at: formatTime(expires_at),
    ip,
    user_agent,
    current: id === currentId,
  };
}

export function languages({ locales }: Host['node'], account: Account): Languages {
  return { locales: [...locales.names], current: locales.names.includes(account.locale) ? account.locale : 'en' };
}

/** Errors: 400 for a language that is not installed. */
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

/** Members of the dashboard, each for accounts that hold its feature. */
export async function dashboardPart(
  reader: Reader,
  twofa: Twofa,
  { id, features, locale }: Account,
): Promise<DashboardPart> {
  const [before, isOn] = await Promise.all([
    features.has('login_history') ? lastLogins(reader, id, 1, 1) : [],
    features.has('twofa') && twofa.isEnabled(id),
  ]);
  return {
    last_ip: before[0]?.ip ?? '',
    locale: features.has('locale') ? locale : '',
    twofa_enabled: isOn ? true : null,
  };
}

export function loginMetrics(login: Login, throttle: Throttle): Metric[] {
  const samples = Object.entries({
    success: login.successes,
    failure: throttle.counts.failed,
    throttled: throttle.counts.refused,
  });
  return [
    {
      name: 'hostkeep_logins_total',
      help: 'Logins and other proofs of a password or code, by result',
      type: 'counter',
      samples: samples.map(([result, value]) => ({ labels: { result }, value })),
    },
  ];
}
