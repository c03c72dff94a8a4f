import type { RouteSpec } from '../../kernel/contract/route-spec.ts';

/** All routes of this plugin are for administrators, on the admin address. */
export const admin = <const R extends Omit<RouteSpec, 'address' | 'access'>>(route: R) =>
  ({ ...route, address: 'admin', access: 'admin' }) as const;
