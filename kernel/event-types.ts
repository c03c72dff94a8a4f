import type { PlanLimits } from './plans.ts';

/**
 * What can happen, by `<thing>.<what happened>`, and the data that each event brings; `undefined` where it brings none.
 * Types only. A plugin adds its own from a file of its own: `declare module '../../kernel/event-types.ts' { interface
 * EventTypes { … } }`.
 */
export interface EventTypes {
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

/** An event's name and its data, which belong together. */
export type Occurrence = {
  readonly [T in keyof EventTypes]: {
    readonly type: T;
    readonly data?: EventTypes[T];
  } & (undefined extends EventTypes[T] ? unknown : { readonly data: EventTypes[T] });
}[keyof EventTypes];
