import { randomUUID } from 'node:crypto';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { DatabaseBackups } from '../../../kernel/contract/points/backup-source.ts';
import { isDatabase, type BackupSource } from '../../../kernel/contract/points/backup-source.ts';
import type { Counted, TaskRun } from '../../../kernel/areas/tasks/account-tasks.ts';
import { withBeat } from '../../../kernel/areas/tasks/with-beat.ts';
import { HttpError, publicReason } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { AGAIN, fail } from '../errors.ts';
import type { ResticSetup } from '../../../kernel/kit/restic/run-restic.ts';
import { BACKUP, DATABASE } from '../jobs.ts';
import type { RepositoryAccess } from '../../../kernel/kit/restic/repository-access.ts';
import { WITHOUT_FILES, type DatabaseRow } from '../store.ts';

interface Making {
  readonly host: Pick<Host, 'gather' | 'jobs' | 'log'>;
  readonly pool: JobPool;
  readonly account: Account;
  readonly run: TaskRun;
  readonly ip: string;
  readonly setup: ResticSetup;
  readonly access: RepositoryAccess;
}
interface Counting extends Making {
  readonly counted: { -readonly [K in keyof Counted]: Counted[K] };
}

/** Resolves with how the databases of this node are backed up, kind by kind. */
export async function findSources({ gather }: Pick<Host, 'gather'>): Promise<DatabaseBackups[]> {
  return (await gather('databaseBackups')).flatMap((part) => (part.ok ? [part.value] : []));
}

/**
 * Adds a snapshot of the files, most of them as in `parent`, and one of each database and of what else there is, which is missing if it
 * fails. Resolves with the id of the backup. Errors: 422 `nothing_to_back_up`, 503 `backup_failed`, those of restic's run.
 */
export async function addSnapshots(making: Making, parent: string | null) {
  const { host, pool, account, run, setup, access } = making;
  let counted: Counting['counted'] = { files: 0, bytes: 0, leftOut: 0 };
  let nothing: HttpError | undefined;
  const addFiles = async () => {
    counted = await pool.run(BACKUP, host.jobs.ownerOf(account), { setup, parent }, { ...run, onAsk: access.answer });
  };
  const id = await access.added(addFiles).catch((error: unknown) => {
    if (!(error instanceof HttpError) || error.code !== 'nothing_to_back_up') throw error;
    nothing = error;
    return `${WITHOUT_FILES}${randomUUID()}`;
  });
  const { files, bytes: sizeBytes } = counted;
  const items = await withBeat(run, counted, () => addItems({ ...making, counted }));
  const databases = items.filter(isDatabase);
  if (nothing !== undefined && databases.every(({ snapshot }) => snapshot === null))
    throw databases[0] ? fail.backup_failed(`no database was read: ${databases[0].problem}`, AGAIN) : nothing;
  return { id, files, sizeBytes, counted, items };
}

async function addItems(making: Counting): Promise<DatabaseRow[]> {
  const { host, account, run, counted } = making;
  const rows: DatabaseRow[] = [];
  const miss = (engine: string, name: string) => (err: unknown) => {
    run.signal.throwIfAborted();
    host.log.warn({ err, account: account.username, engine, item: name }, 'a backup lacks something');
    rows.push({ engine, name, snapshot: null, size_bytes: 0, problem: publicReason(err) });
    counted.leftOut += 1;
  };
  const others = (await host.gather('backupSources')).flatMap((part) => (part.ok ? [part.value] : []));
  for (const source of [...(await findSources(host)), ...others]) {
    const names = await source.names(account).catch(miss(source.engine, ''));
    for (const name of names ?? [])
      await addItem(making, source, name).then((row) => rows.push(row), miss(source.engine, name));
  }
  return rows;
}

async function addItem(making: Counting, source: BackupSource, name: string): Promise<DatabaseRow> {
  const { host, pool, account, run, ip, setup, access, counted } = making;
  // a process of its own: that of the files keeps the rights of the service where an account has none
  const owner = { ...host.jobs.ownerOf(account, { opensNothing: true }), key: `databases ${account.id}` };
  let [snapshot, sizeBytes]: [string | null, number] = [null, 0];
  await source.dump(account, name, { ip, signal: run.signal }, async (dump) => {
    const chunks = dump[Symbol.asyncIterator]();
    let fault: unknown;
    const next = async () => {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        fault ??= error;
        throw fail.backup_failed('the dump failed');
      });
      if (done === true) return { answer: 'end', bytes: Buffer.alloc(0) };
      sizeBytes += value.length;
      counted.bytes += value.length;
      return { answer: null, bytes: value };
    };
    const onAsk = (asked: unknown, given: Buffer) =>
      (asked as { dump?: unknown } | null)?.dump === true ? next() : access.answer(asked, given);
    try {
      snapshot = await access.added(() => pool.run(DATABASE, owner, setup, { signal: run.signal, onAsk }));
    } catch (error) {
      throw fault ?? error;
    } finally {
      await chunks.return?.();
    }
  });
  counted.files += 1;
  return { engine: source.engine, name, snapshot, size_bytes: sizeBytes, problem: null };
}
