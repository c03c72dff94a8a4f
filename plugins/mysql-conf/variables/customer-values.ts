import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import type { DatabaseSettings } from '../schema.ts';

/** Those that decide what customers' applications can do. */
const SHOWN = [
  ...[
    'character_set_server',
    'collation_server',
    'event_scheduler',
    'group_concat_max_len',
    'innodb_lock_wait_timeout',
  ],
  ...['interactive_timeout', 'lock_wait_timeout', 'max_allowed_packet', 'max_connections', 'max_statement_time'],
  ...[
    'max_user_connections',
    'sql_mode',
    'time_zone',
    'tx_isolation',
    'transaction_isolation',
    'version',
    'wait_timeout',
  ],
];

/** Resolves with the values with which connections begin, by name. */
export async function readCustomerValues(client: DatabaseClient): Promise<DatabaseSettings['server']> {
  return client.query(
    `select lower(variable_name) as name, coalesce(global_value, '') as value from information_schema.system_variables
      where variable_name in (?) order by 1`,
    [SHOWN.map((name) => Buffer.from(name.toUpperCase()))],
  );
}
