import type { Plan } from './plans.ts';
import type { Account, Role } from './account.ts';

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

/** Selects an `AccountRow`, from `accounts` without a condition. */
export const SELECT_ACCOUNT = `select id, username, role, email, locale, plan, suspended_at, created_at, home, read_only,
  coalesce((select string_agg(case granted when 1 then '+' else '-' end || feature, ' ' order by feature) from account_features
    where account_id = accounts.id), '') as overrides
  from accounts`;

/** Returns the snapshot of a row, with its plan and the folder of its files. */
export function accountSnapshot(row: AccountRow, plan: Plan | undefined, filesRoot: string): Account {
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
