import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Reader } from '../../kernel/store/store.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';
import { counter, type Metric } from '../../kernel/contract/points/metric.ts';
import type { Login } from './login/login.ts';
import type { Throttle } from './login/throttle.ts';
import { lastLogins } from './store.ts';
import type { Twofa } from './twofa/twofa.ts';

/** Returns members of the dashboard, each only where the account has its feature. */
export async function dashboardPart(
  reader: Reader,
  twofa: Twofa,
  { id, features, locale }: Account,
): Promise<DashboardPart> {
  const [previous, isEnabled] = await Promise.all([
    features.has('login_history') ? lastLogins(reader, id, 1, 1) : [],
    features.has('twofa') && twofa.isEnabled(id),
  ]);
  return {
    last_ip: previous[0]?.ip ?? '',
    locale: features.has('locale') ? locale : '',
    twofa_enabled: isEnabled ? true : null,
  };
}

export function loginMetrics(login: Login, throttle: Throttle): Metric[] {
  const results = { success: login.successes, failure: throttle.counts.failed, throttled: throttle.refused };
  return [
    counter(
      'hostkeep_logins_total',
      'Logins and other checks of a password or code, by result',
      Object.entries(results).map(([result, value]) => ({ labels: { result }, value })),
    ),
  ];
}
