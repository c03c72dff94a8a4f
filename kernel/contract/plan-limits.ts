/** The limits of plans that the installed plugins describe, and their schema, for routes and commands that change them. */
export { LIMITS, PlanLimits, type Limit } from '../config/limits.ts';
