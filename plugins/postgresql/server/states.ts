import type { PostgresqlClient } from '../../../kernel/kit/databases/postgresql/client.ts';
import { groupFor, LEVELS, USERS } from '../../../kernel/kit/databases/postgresql/names.ts';
import { identifier as id } from '../../../kernel/kit/databases/postgresql/sql-text.ts';

/** How far databases are open to customers. */
export interface State {
  /** Whether their transactions only read unless they ask for more. */
  readonly isReadOnly: boolean;
  /** Whether their users can connect. */
  readonly isOpen: boolean;
}

export interface FoundState extends State {
  readonly name: string;
  /** Whether a table is written anew, for which there is a second copy of it meanwhile. */
  readonly isRewritten: boolean;
}

const READ_ONLY = 'default_transaction_read_only';
const GROUPS = LEVELS.map((level) => `datname || '${groupFor('', level)}'`).join(', ');
/** Their names have no hyphen: those that are made for a while go on. */
const CUSTOMERS = `usename !~ '-' and usesysid in
  (select m.member from pg_auth_members m join pg_roles g on g.oid = m.roleid where g.rolname = '${USERS}')`;

/** Resolves with the states of those of these databases that are there. */
export function readStates(main: PostgresqlClient, names: readonly string[]): Promise<FoundState[]> {
  return main.query(
    `select datname as name,
        exists (select 1 from pg_db_role_setting s
          where s.setdatabase = d.oid and s.setrole = 0 and '${READ_ONLY}=on' = any (s.setconfig)) as "isReadOnly",
        exists (select 1 from aclexplode(d.datacl) a join pg_roles r on r.oid = a.grantee
          where a.privilege_type = 'CONNECT' and r.rolname in (${GROUPS})) as "isOpen",
        exists (select 1 from pg_stat_progress_cluster p where p.datid = d.oid)
          or exists (select 1 from pg_stat_progress_create_index p where p.datid = d.oid) as "isRewritten"
      from pg_database d where datname in (select json_array_elements_text($1::json))`,
    [JSON.stringify(names)],
  );
}

/** Opens a database so far: only its owner does, and no customer is that. Sessions keep the state in which they began. */
export async function setState(
  main: PostgresqlClient,
  found: FoundState,
  { isReadOnly, isOpen }: State,
): Promise<void> {
  const database = `database ${id(found.name)}`;
  const groups = LEVELS.map((level) => id(groupFor(found.name, level))).join(', ');
  await main.transaction([
    ...(found.isReadOnly === isReadOnly
      ? []
      : [`alter ${database} ${isReadOnly ? `set ${READ_ONLY} = on` : `reset ${READ_ONLY}`}`]),
    ...(found.isOpen === isOpen
      ? []
      : [isOpen ? `grant connect on ${database} to ${groups}` : `revoke connect on ${database} from ${groups}`]),
  ]);
}

/** Resolves with what the server's clock says. */
export async function readClock(main: PostgresqlClient): Promise<string> {
  const [row] = await main.query<{ now: string }>('select clock_timestamp()::text as now');
  return row?.now ?? '';
}

/** Ends the sessions of customers in these databases, or those that began before `before`. */
export async function endCustomers(main: PostgresqlClient, names: readonly string[], before?: string): Promise<void> {
  await main.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where ${CUSTOMERS} and datname in (select json_array_elements_text($1::json))
        and backend_start < $2::timestamptz`,
    [JSON.stringify(names), before ?? 'infinity'],
  );
}
