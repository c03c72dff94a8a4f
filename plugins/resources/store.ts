import type { Host } from '../../kernel/contract/plugin.ts';
import type { Reader } from '../../kernel/store/store.ts';

export type LimitedResource = 'memory' | 'processes' | 'processor' | 'reading' | 'writing';

/** The last known count of how often an account met a limit. */
export interface Hits {
  readonly accountId: number;
  readonly resource: LimitedResource;
  readonly count: number;
  /** Milliseconds since 1970; 0 = never. */
  readonly toldAt: number;
}

export function readHits(reader: Reader): Promise<Hits[]> {
  return reader.all<Hits>('select account_id as accountId, resource, count, told_at as toldAt from resource_hits');
}

export async function keepHits(local: Host['local'], { accountId, resource, count, toldAt }: Hits): Promise<void> {
  const sql =
    'insert into resource_hits values (?, ?, ?, ?) on conflict (account_id, resource) do update set count = excluded.count, told_at = excluded.told_at';
  await local.write((tx) => tx.run(sql, accountId, resource, count, toldAt));
}
