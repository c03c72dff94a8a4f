import type { Reader, Tx } from '../../kernel/store/store.ts';

/** A setting that was changed in the console. */
export interface StoredRow {
  readonly setting: string;
  /** JSON; `null` once it was given back to the files. */
  readonly value: string | null;
  readonly version: number;
  readonly changed_by: string;
  /** Milliseconds since 1970. */
  readonly changed_at: number;
}

/** Resolves with all rows, in the same order each time. */
export function readRows(reader: Reader): Promise<StoredRow[]> {
  return reader.all<StoredRow>(
    'select setting, value, version, changed_by, changed_at from stored_settings order by setting',
  );
}

/** Resolves with the version of the last change; 0 before the first. */
export async function lastVersion(reader: Reader): Promise<number> {
  return (await reader.get<{ n: number | null }>('select max(version) as n from stored_settings'))?.n ?? 0;
}

/** Keeps a value, or that there is none any more, and resolves with its version. */
export async function keep(tx: Tx, setting: string, value: string | null, username: string): Promise<number> {
  const version = (await lastVersion(tx)) + 1;
  await tx.run(
    `insert into stored_settings (setting, value, version, changed_by, changed_at) values (?, ?, ?, ?, ?)
      on conflict (setting) do update set value = excluded.value, version = excluded.version,
        changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
    ...[setting, value, version, username, Date.now()],
  );
  return version;
}
