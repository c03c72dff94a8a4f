/** The schema of a plan's limits, for routes that read and change them. */
export { PlanLimits } from '../identity/accounts/plan-limits.ts';
