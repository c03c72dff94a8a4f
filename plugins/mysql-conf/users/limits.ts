import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { quotedUser, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';

/** Each limit: the option of a statement, the member of `mysql.global_priv` that keeps it, and how people count it. */
const OPTIONS = {
  connections: { option: 'max_user_connections', key: 'max_user_connections', unit: 'connections' },
  statement_seconds: { option: 'max_statement_time', key: 'max_statement_time', unit: 'seconds for a statement' },
  queries_per_hour: { option: 'max_queries_per_hour', key: 'max_questions', unit: 'statements in an hour' },
  updates_per_hour: { option: 'max_updates_per_hour', key: 'max_updates', unit: 'changes in an hour' },
  connections_per_hour: { option: 'max_connections_per_hour', key: 'max_connections', unit: 'connections in an hour' },
} as const;
type LimitName = keyof typeof OPTIONS;
const NAMES = Object.keys(OPTIONS) as LimitName[];

/** Limits of a database user; 0 = none. */
export type ResourceLimits = Readonly<Record<LimitName, number>>;

/** Returns how many connections the plan of an account allows each of its users; 0 = unlimited. */
export const connectionsLimit = ({ plan }: Pick<Account, 'plan'>): number =>
  plan?.limits['db_user_connections_limit'] ?? 0;

/** Returns limits that keep within the plan. Below 0, which bars all connections, is the least. */
export function within(own: ResourceLimits, most: number): ResourceLimits {
  const isWithin = most === 0 || (own.connections !== 0 && own.connections < most);
  return { ...own, connections: isWithin ? own.connections : most };
}

export const isSame = (a: ResourceLimits, b: ResourceLimits): boolean => NAMES.every((name) => a[name] === b[name]);

/** Returns limits as the activity log tells them. */
export function limitsText(limits: ResourceLimits): string {
  const parts = NAMES.filter((name) => limits[name] !== 0).map((name) => `${limits[name]} ${OPTIONS[name].unit}`);
  return parts.length === 0 ? 'no limits' : parts.join(', ');
}

/** Resolves with the limits in force by `userText`. */
export async function readLimits(
  client: DatabaseClient,
  users: readonly UserName[],
): Promise<ReadonlyMap<string, ResourceLimits>> {
  if (users.length === 0) return new Map();
  const columns = NAMES.map((name) => `json_value(priv, '$.${OPTIONS[name].key}') as ${name}`);
  const rows = await client.query<UserName & Readonly<Record<LimitName, string | null>>>(
    `select user as name, host as host, ${columns.join(', ')} from mysql.global_priv where user in (?)`,
    [users.map(({ name }) => Buffer.from(name))],
  );
  const limitsIn = (row: Readonly<Record<LimitName, string | null>>) =>
    Object.fromEntries(NAMES.map((name) => [name, Number(row[name] ?? 0)])) as ResourceLimits;
  return new Map(rows.map((row) => [userText(row), limitsIn(row)]));
}

/** Sets all limits of a user. Connections that are open keep those with which they began. */
export async function setLimits(client: DatabaseClient, user: UserName, limits: ResourceLimits): Promise<void> {
  const options = NAMES.map((name) => `${OPTIONS[name].option} ${limits[name]}`);
  await client.query(`alter user ${quotedUser(user)} with ${options.join(' ')}`);
}
