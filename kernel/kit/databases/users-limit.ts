/** The limit of an account's database users at servers of one kind. */
import type { HttpError } from '../../errors.ts';
import { databaseFail } from './errors.ts';

interface Planned {
  readonly plan: { readonly limits: Readonly<Record<string, number>> } | undefined;
}

/** Returns how many users an account may have: as many as its plan allows, and never more than the settings do. */
export const usersLimit = ({ plan }: Planned, { users_limit: most }: { readonly users_limit: number }): number =>
  Math.min(most, plan?.limits['db_users_limit'] || most);

export const usersLimitReached = (limit: number): HttpError =>
  databaseFail.database_users_limit_reached(`an account has at most ${limit} database user${limit === 1 ? '' : 's'}`);
