/**
 * The variables of a server that administrators change. None names a file, a plugin or a statement, opens the server to others, or
 * turns off what protects data of one account from another.
 */
interface Bounds {
  /** Tighter than those of the server: beyond them it would serve nobody, or one connection could take all memory. */
  readonly least?: number;
  readonly most?: number;
  /** Whether 0 is allowed below `least`, for none. */
  readonly zero?: boolean;
  /** For a text that the server bounds by nothing. */
  readonly pattern?: RegExp;
}

const MIB = 2 ** 20;
const BUFFER: Bounds = { most: 64 * MIB };
const TIMEOUT: Bounds = { least: 5, most: 86_400 };

export const CHANGEABLE: Readonly<Record<string, Bounds>> = {
  connect_timeout: { least: 2, most: 3600 },
  event_scheduler: {},
  group_concat_max_len: { least: 1024, most: 64 * MIB },
  idle_transaction_timeout: { ...TIMEOUT, zero: true },
  innodb_buffer_pool_size: { least: 8 * MIB },
  innodb_flush_log_at_trx_commit: { most: 2 },
  innodb_io_capacity: {},
  innodb_lock_wait_timeout: { least: 1, most: 3600 },
  innodb_print_all_deadlocks: {},
  interactive_timeout: { least: 30 },
  join_buffer_size: BUFFER,
  lock_wait_timeout: { least: 1 },
  log_queries_not_using_indexes: {},
  long_query_time: {},
  max_allowed_packet: { least: MIB },
  max_connections: { least: 20 },
  max_heap_table_size: { least: MIB, most: 4096 * MIB },
  max_statement_time: { least: 1, zero: true },
  net_read_timeout: TIMEOUT,
  net_write_timeout: TIMEOUT,
  read_buffer_size: BUFFER,
  slow_query_log: {},
  sort_buffer_size: BUFFER,
  sql_mode: {},
  table_definition_cache: {},
  table_open_cache: {},
  thread_cache_size: {},
  time_zone: { pattern: /^(?:SYSTEM|[+-]\d{1,2}:\d{2}|[A-Za-z]+(?:\/[A-Za-z0-9_+-]+){0,2})$/ },
  tmp_table_size: { least: MIB, most: 4096 * MIB },
  wait_timeout: { least: 30 },
};
