import type { Role } from './account.ts';

/** Which accounts a list has. Members that are left out restrict nothing. */
export interface AccountFilter {
  /** Part of the user name or of the e-mail address, in any case. */
  readonly q?: string;
  readonly role?: Role;
  readonly plan?: string;
  readonly suspended?: boolean;
  /** See `Account.home`. */
  readonly home?: string;
}

/** The order of a list; accounts with the same value follow each other by name. */
export interface AccountOrder {
  readonly by: 'username' | 'created' | 'plan' | 'email';
  readonly isDescending: boolean;
}

/** The column or expression of each order. */
export const SORTED_BY: Readonly<Record<AccountOrder['by'], string>> = {
  username: 'username',
  created: 'created_at',
  plan: "coalesce(plan, '')",
  email: 'email',
};

/** Returns a filter as a condition on `accounts`, and its values. */
export function accountConditions({ q, role, plan, suspended, home }: AccountFilter): [string, string[]] {
  const terms: [string, ...string[]][] = [];
  if (q !== undefined) terms.push(['(instr(username, lower(?)) > 0 or instr(lower(email), lower(?)) > 0)', q, q]);
  if (role !== undefined) terms.push(['role = ?', role]);
  if (plan !== undefined) terms.push(['plan = ?', plan]);
  if (home !== undefined) terms.push(['home = ?', home]);
  if (suspended !== undefined) terms.push([`suspended_at is ${suspended ? 'not null' : 'null'}`]);
  return [['true', ...terms.map(([term]) => term)].join(' and '), terms.flatMap(([, ...values]) => values)];
}
