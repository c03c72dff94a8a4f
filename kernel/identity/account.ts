import type { Plan } from './plans.ts';

export type Role = 'user' | 'admin';

/** An immutable snapshot of an account; a change replaces it. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly email: string;
  readonly locale: string;
  readonly plan: Plan | undefined;
  /** The plan's features plus and minus the account's own; empty without a plan. */
  readonly features: ReadonlySet<string>;
  /** Features in which the account differs from its plan: true if granted, false if denied. */
  readonly overrides: Readonly<Record<string, boolean>>;
  /** The folder of the account's files on this host. */
  readonly filesRoot: string;
  readonly suspended: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The node of the fleet that has its files, containers and databases; empty where the store has one node. */
  readonly home: string;
  /** Whether what it has there must not change, because the last differences go to another node. */
  readonly isReadOnly: boolean;
}

/** Whether a home is the node `here`; so it is of every account where the store has one node. */
export const isAt = (home: string, here: string): boolean => home === '' || here === '' || home === here;

/** Which accounts a list has; all unless given. */
export interface AccountFilter {
  /** Part of the user name or of the e-mail address, in any case. */
  readonly q?: string;
  readonly role?: Role;
  readonly plan?: string;
  readonly suspended?: boolean;
  /** See `Account.home`. */
  readonly home?: string;
}

/** What a list is sorted by; accounts with the same value follow each other by name. */
export interface AccountOrder {
  readonly by: 'username' | 'created' | 'plan' | 'email';
  readonly isDescending: boolean;
}
/** Where a sorted list goes on: the value that the last account was sorted by, and its name. */
export type AccountPosition = readonly [value: string | number, username: string];

/** The column or expression of each order. */
export const SORTED_BY: Readonly<Record<AccountOrder['by'], string>> = {
  username: 'username',
  created: 'created_at',
  plan: "coalesce(plan, '')",
  email: 'email',
};

/** Returns a filter as a condition on `accounts`, and its values. */
export function conditionOf({ q, role, plan, suspended, home }: AccountFilter): [string, string[]] {
  const terms: [string, ...string[]][] = [];
  if (q !== undefined) terms.push(['(instr(username, lower(?)) > 0 or instr(lower(email), lower(?)) > 0)', q, q]);
  if (role !== undefined) terms.push(['role = ?', role]);
  if (plan !== undefined) terms.push(['plan = ?', plan]);
  if (home !== undefined) terms.push(['home = ?', home]);
  if (suspended !== undefined) terms.push([`suspended_at is ${suspended ? 'not null' : 'null'}`]);
  return [['true', ...terms.map(([term]) => term)].join(' and '), terms.flatMap(([, ...values]) => values)];
}

/** A row that `SELECT_ACCOUNT` reads. */
export interface AccountRow {
  id: number;
  username: string;
  role: Role;
  email: string;
  locale: string;
  plan: string | null;
  suspended_at: number | null;
  created_at: number;
  home: string;
  read_only: 0 | 1;
  overrides: string;
}

export const SELECT_ACCOUNT = `select id, username, role, email, locale, plan, suspended_at, created_at, home, read_only,
  coalesce((select string_agg(case granted when 1 then '+' else '-' end || feature, ' ' order by feature) from account_features
    where account_id = accounts.id), '') as overrides
  from accounts`;

/** Returns the snapshot of a row, with its plan and the folder of its files. */
export function snapshotOf(row: AccountRow, plan: Plan | undefined, filesRoot: string): Account {
  const overrides = Object.fromEntries(
    row.overrides === '' ? [] : row.overrides.split(' ').map((text) => [text.slice(1), text.startsWith('+')]),
  );
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    email: row.email,
    locale: row.locale,
    plan,
    overrides,
    features: effective(plan, overrides),
    filesRoot,
    suspended: row.suspended_at !== null,
    createdAt: row.created_at,
    home: row.home,
    isReadOnly: row.read_only === 1,
  };
}

/** Returns the features in effect. Without a plan there are none: the account's own settings grant nothing then. */
function effective(plan: Plan | undefined, overrides: Readonly<Record<string, boolean>>): ReadonlySet<string> {
  const changes = Object.entries(overrides);
  if (plan === undefined) return new Set();
  if (changes.length === 0) return plan.features;
  const features = new Set(plan.features);
  for (const [feature, on] of changes) {
    if (on) features.add(feature);
    else features.delete(feature);
  }
  return features;
}
