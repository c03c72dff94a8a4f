/** Settings that database users have by `alter role`. */
import type { PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import { identifier as id, literal } from '../../kernel/kit/databases/postgresql/sql-text.ts';
import type { MovedSetting } from './wire.ts';

/** Resolves with the settings of users, in all databases and in these, without the role that they act as. */
export function readSettings(
  main: PostgresqlClient,
  users: readonly string[],
  databases: readonly string[],
): Promise<MovedSetting[]> {
  return main.query(
    `select rolname as "user", coalesce(datname, '') as database, split_part(setting, '=', 1) as name,
        substr(setting, strpos(setting, '=') + 1) as value
      from pg_db_role_setting s join pg_roles r on r.oid = s.setrole left join pg_database d on d.oid = s.setdatabase,
        unnest(s.setconfig) as setting
      where rolname in (select json_array_elements_text($1::json)) and split_part(setting, '=', 1) <> 'role'
        and (s.setdatabase = 0 or datname in (select json_array_elements_text($2::json)))
      order by 1, 2, 3`,
    [JSON.stringify(users), JSON.stringify(databases)],
  );
}

/** Gives a user these settings in the place of those that it has in all databases. */
export async function applySettings(
  main: PostgresqlClient,
  user: string,
  settings: readonly MovedSetting[],
): Promise<void> {
  await main.query(`alter role ${id(user)} reset all`);
  for (const { database, name, value } of settings)
    // as the user itself: so the server refuses what only a superuser may set
    await main.transaction([
      `set local session authorization ${id(user)}`,
      `select set_config(${literal(name)}, ${literal(value)}, true)`,
      `alter role ${id(user)} ${database === '' ? '' : `in database ${id(database)} `}set ${id(name)} from current`,
    ]);
}
