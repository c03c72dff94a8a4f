import type { PlanLimits } from './plan-limits.ts';

/** Events of accounts, plans and sessions, added to the log's types. */
declare module '../storage/audit-log.ts' {
  interface EventTypes {
    'account.created': undefined;
    'account.changed': Partial<Record<'plan' | 'email' | 'locale', string | null>>;
    'account.suspended': undefined;
    'account.unsuspended': undefined;
    'account.removed': { readonly account_id: number };
    'account.purged': { readonly account_id: number };
    'password.changed': undefined;
    /** On a plan if `plan` is set, else on the account; `on` is `null` if the plan decides again. */
    'feature.toggled': { readonly feature: string; readonly on: boolean | null; readonly plan?: string };
    'plan.created': { readonly plan: string };
    'plan.changed': { readonly plan: string } & Partial<PlanLimits>;
    'plan.removed': { readonly plan: string };
    logout: undefined;
    /** The number of sessions that one action ended. */
    'session.ended': { readonly count: number };
  }
}
