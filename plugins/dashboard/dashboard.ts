import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';
import type { Dashboard, DashboardConfig } from './schema.ts';

/** Any of them lets an account have databases. */
const DATABASES = ['mysql', 'postgresql'];

/**
 * Builds the dashboard of an account. A member is empty where the account lacks its feature, even if a plugin supplied
 * a value. `usable` names the features that it can use.
 */
export function buildDashboard(
  account: Account,
  parts: DashboardPart,
  config: DashboardConfig,
  usable: readonly string[],
): Omit<Dashboard, 'stale'> {
  const { features, plan } = account;
  const given = <T>(feature: string | readonly string[], value: T | undefined, empty: T): T =>
    [feature].flat().some((each) => features.has(each)) ? (value ?? empty) : empty;
  const [ns1 = '', ns2 = '', ns3 = '', ns4 = ''] = parts.name_servers ?? [];
  return {
    cpu_limit: Math.round((plan?.limits['cpu_limit'] ?? 0) * 100),
    custom_message: config.custom_message,
    db_limit: given(DATABASES, plan?.limits['db_limit'], 0),
    db_usage: given(DATABASES, parts.db_usage, 0),
    domains: given('domains', parts.domains, []),
    domains_limit: given('domains', plan?.limits['domains_limit'], 0),
    email_count: given('emails', parts.email_count, 0),
    email_limit: given('emails', plan?.limits['email_limit'], 0),
    ftp_count: given('ftp', parts.ftp_count, 0),
    ftp_limit: given('ftp', plan?.limits['ftp_limit'], 0),
    how_to_guides: config.how_to_guides && features.has('helpers') ? 'yes' : 'no',
    how_to_topics: given('helpers', config.how_to_topics, []),
    ip_address: parts.ip_address ?? '',
    knowledge_base_link: given('helpers', config.knowledge_base_link, ''),
    last_ip: given('login_history', parts.last_ip, ''),
    locale: given('locale', account.locale, ''),
    maindomains: given('domains', parts.maindomains, []),
    ns1,
    ns2,
    ns3,
    ns4,
    subdomains: given('domains', parts.subdomains, []),
    title: config.title,
    twofa_enabled: given('twofa', parts.twofa_enabled, null),
    // `undefined` where no plugin supplies it: then no reminder.
    twofa_nag: features.has('twofa') && parts.twofa_enabled === null ? 'True' : 'False',
    user_features: [...usable],
    user_websites: given('websites', parts.user_websites, []),
    websites_limit: given('websites', plan?.limits['websites_limit'], 0),
  };
}
