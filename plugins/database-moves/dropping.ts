/** Drops databases of accounts that live elsewhere. */
import { escapeControl } from '../../kernel/log.ts';
import type { DatabaseClient } from '../../kernel/areas/database-servers.ts';
import { identifier, quotedUser } from '../../kernel/kit/databases/mysql-text.ts';
import type { MoveRecord, Recorded } from './record.ts';
import { refused, type MoveServer } from './server.ts';
import { readContents, dropTables, readDatabases, type MovedDatabase } from './contents/tables.ts';
import { TableLocks } from './window.ts';

/** How many tables an error names. */
const NAMED = 5;

/** Drops what is recorded, if it is there. */
export async function drop(client: DatabaseClient, { kind, name, host }: Recorded): Promise<void> {
  if (kind === 'user') await client.query(`drop user if exists ${quotedUser({ name, host })}`);
  else await client.query(`drop database if exists ${identifier(name)}`);
}

/**
 * Drops at the old home what has moved; users with further rights, and those of the operator, may have changed it since, and
 * were told that they had. `held` are the locks under which it moved, if it still has them. Errors: 409 `move_refused` for
 * tables that changed, unless `isForced`: all databases stay then.
 */
export async function dropMoved(
  client: DatabaseClient,
  server: MoveServer,
  record: MoveRecord,
  { isForced, held }: { readonly isForced: boolean; readonly held?: TableLocks },
): Promise<void> {
  const all = (await record.all()).filter((each) => each.server === server.name);
  if (!isForced) await dropUnchanged(client, server, all, held);
  for (const each of all) {
    await drop(client, each);
    await record.remove(each);
  }
}

/** Drops the tables, one after the other, in a time in which nobody else uses any of them. */
async function dropUnchanged(
  client: DatabaseClient,
  server: MoveServer,
  recorded: readonly Recorded[],
  held?: TableLocks,
): Promise<void> {
  const names = recorded.filter(({ kind }) => kind === 'database').map(({ name }) => name);
  const { databases } = await readDatabases(client, names);
  const locks = held ?? (await TableLocks.take(server, databases));
  try {
    const alone = await locks.exclude(databases);
    const { databases: locked } = await readDatabases(alone, names);
    const changed = await changedIn(alone, locked, recorded);
    if (changed.length > 0) throw refused(changedText(changed));
    for (const { name, tables } of locked) await dropTables(alone, name, tables);
  } finally {
    await locks.release();
  }
}

/** Resolves with the tables that are not as they were when they were compared last; those that are gone were dropped before. */
async function changedIn(
  client: DatabaseClient,
  databases: readonly MovedDatabase[],
  recorded: readonly Recorded[],
): Promise<string[]> {
  const changed: string[] = [];
  for (const { name, tables } of databases) {
    const before = new Map(recorded.find((each) => each.kind === 'database' && each.name === name)?.contents);
    const now = await readContents(client, { name, tables: tables.filter((table) => before.has(table.name)) });
    const isChanged = (table: string) => now.get(table) === undefined || now.get(table) !== before.get(table);
    changed.push(...tables.filter((table) => isChanged(table.name)).map((table) => `${name}.${table.name}`));
  }
  return changed;
}

function changedText(changed: readonly string[]): string {
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : '';
  const tables = escapeControl(changed.slice(0, NAMED).join(', '));
  return `tables of the old home were changed after they had moved: ${tables}${more}; look at them, and run this again with --force to drop them`;
}
