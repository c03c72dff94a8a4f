import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';
import { counter, type Metric } from '../../kernel/contract/points/metric.ts';
import type { Login } from './credentials/login.ts';
import type { Throttle } from './throttle/throttle.ts';
import type { Twofa } from './twofa/twofa.ts';

/** Returns whether the account has a second factor, if it has the feature. */
export async function dashboardPart(twofa: Twofa, { id, features }: Account): Promise<DashboardPart> {
  return { twofa_enabled: features.has('twofa') && (await twofa.isEnabled(id)) ? true : null };
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
