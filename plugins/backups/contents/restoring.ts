import type { IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { AccountBackups } from '../../../kernel/areas/backups/account-backups.ts';
import type { AccountTask, Ended } from '../../../kernel/areas/tasks/task-store.ts';
import { withBeat } from '../../../kernel/areas/tasks/with-beat.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { Backups } from '../backups.ts';
import { AGAIN, fail } from '../errors.ts';
import type { Reading } from '../reading.ts';
import type { BackupTask, DatabaseParams } from '../schema.ts';
import { DUMP_FILE, listDatabases, type DatabaseRow } from '../store.ts';
import { findSources } from './making.ts';

interface Parts extends Pick<Host, 'local' | 'gather'> {
  readonly backups: Backups;
  readonly reading: Reading;
}
type Named = Static<typeof DatabaseParams>;

/** How long a server may take nothing: a statement of an import has an hour. */
const STALL_MS = 2 * 3_600_000;

/** Resolves with a backup, and with its snapshot of a database. Errors: 404 `backup_not_found`, `database_not_found`. */
export async function findDump({ backups, local }: Pick<Parts, 'backups' | 'local'>, account: Account, named: Named) {
  const backup = await backups.find(account, named.id);
  const isNamed = ({ engine, name }: DatabaseRow) => engine === named.engine && name === named.database;
  const snapshot = (await listDatabases(local, named.id)).find(isNamed)?.snapshot;
  if (snapshot == null) throw fail.database_not_found('the backup does not have this database');
  return { backup, snapshot };
}

/**
 * Begins to restore a database into one that exists. Errors: 404 `backup_not_found`, `database_not_found`, 503 `backups_unavailable`, `overloaded`; of the task,
 * those of `DatabaseBackups.restore`.
 */
export async function restoreDatabase(
  parts: Parts,
  account: Account,
  named: Named & { readonly into: string },
  ip: string,
): Promise<BackupTask> {
  const { engine, database, into } = named;
  const { backup, snapshot } = await findDump(parts, account, named);
  const source = (await findSources(parts)).find((each) => each.engine === engine);
  if (source === undefined) throw fail.backups_unavailable(`databases of ${engine} are not managed here`, AGAIN);
  return restoreDump(parts, account, { path: into, snapshot }, async (body, signal) => {
    await source.restore(account, into, { body, ip, signal });
    const what = into === database ? 'the database ' : `the database ${database} into `;
    await parts.backups.tellRestored(account, ip, backup, into, what);
  });
}

/** Begins to restore what a backup has of a kind besides files and databases. Errors: those of `findDump`, 503 `overloaded`. */
export async function restoreItem(
  parts: Parts,
  ...[account, { id, engine }, put]: Parameters<AccountBackups['restoreItem']>
): Promise<AccountTask> {
  const { snapshot } = await findDump(parts, account, { id, engine, database: '' });
  return restoreDump(parts, account, { path: engine, snapshot }, put);
}

/** Resolves with what a snapshot of a dump has. */
export async function readDump(
  { reading }: Pick<Parts, 'reading'>,
  account: Account,
  snapshot: string,
  signal: AbortSignal,
) {
  const { content, sizeBytes } = await reading.content(account, snapshot, [DUMP_FILE], signal, STALL_MS);
  return Object.assign(content, { sizeBytes });
}

/** Begins to have `put` take what a snapshot of a dump has. */
function restoreDump(
  { backups, reading }: Parts,
  account: Account,
  { path, snapshot }: { readonly path: string; readonly snapshot: string },
  put: (body: IncomingBody, signal: AbortSignal) => Promise<Pick<Ended, 'leftOut' | 'detail'> | void>,
) {
  return backups.tasks.begin(account, { kind: 'restore', path }, (run) =>
    backups.alone(account, run.signal, async () => {
      const content = await readDump({ reading }, account, snapshot, run.signal);
      const told = { files: 1, bytes: 0, leftOut: 0 };
      async function* counted() {
        for await (const chunk of content as AsyncIterable<Uint8Array>) {
          told.bytes += chunk.length;
          yield chunk;
        }
      }
      const body = Object.assign(counted(), { sizeBytes: content.sizeBytes });
      const ended = await withBeat(run, told, () => put(body, run.signal)).finally(() => content.destroy());
      return { ...told, ...ended };
    }),
  );
}
