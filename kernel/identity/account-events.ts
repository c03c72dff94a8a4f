import type { PlanLimits } from './plan-limits.ts';

/** Events of accounts, plans and sessions. */
declare module '../storage/audit-log.ts' {
  interface EventTypes {
    'account.created': undefined;
    'account.changed': Partial<Record<'plan' | 'email' | 'locale', string>>;
    'account.suspended': undefined;
    'account.unsuspended': undefined;
    'account.removed': { readonly account_id: number };
    'password.changed': undefined;
    /** Of a plan, or of the account that it happened to; `null` leaves it to the plan again. */
    'feature.toggled': { readonly feature: string; readonly on: boolean | null; readonly plan?: string };
    'plan.created': { readonly plan: string };
    'plan.changed': { readonly plan: string } & Partial<PlanLimits>;
    'plan.removed': { readonly plan: string };
    logout: undefined;
    /** How many at once. */
    'session.ended': { readonly count: number };
  }
}
