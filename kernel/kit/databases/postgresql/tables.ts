import type { PostgresqlClient } from './client.ts';

const LISTED = 1000;
const KINDS = { r: 'table', p: 'table', v: 'view', m: 'materialized view', f: 'foreign table' } as const;
const FROM = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  /** An estimate. */
  readonly rows: number;
  readonly size_bytes: number;
}

/** Resolves with the first tables and views of a database, by the server's catalogue alone. */
export async function readTables(client: PostgresqlClient): Promise<{ tables: ListedTable[]; total: number }> {
  const [count] = await client.query<{ n: number }>(`select count(*)::int as n ${FROM}`);
  const rows = await client.query<Record<'schema' | 'name' | 'rows' | 'bytes', string> & { kind: keyof typeof KINDS }>(
    `select n.nspname as schema, c.relname as name, c.relkind as kind, greatest(c.reltuples, 0)::bigint::text as rows,
        case when c.relkind in ('r', 'm') then pg_total_relation_size(c.oid) else 0 end::text as bytes
      ${FROM} order by n.nspname collate "C", c.relname collate "C" limit ${LISTED}`,
  );
  const tables = rows.map(({ schema, name, kind, rows: estimate, bytes }) => ({
    ...{ schema, name, kind: KINDS[kind] },
    ...{ rows: Number(estimate), size_bytes: Number(bytes ?? 0) },
  }));
  return { tables, total: count?.n ?? 0 };
}
