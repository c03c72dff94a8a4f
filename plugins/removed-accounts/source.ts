import type { AccountSource, FormerDatabase } from '../../kernel/areas/archives/account-maker.ts';
import { unlessRefused, type ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, KeptBackup, SettingsBackups } from '../../kernel/areas/backups/account-backups.ts';
import type { Counted, TaskRun } from '../../kernel/areas/tasks/account-tasks.ts';
import { isDatabase, SETTINGS } from '../../kernel/contract/points/backup-source.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import type { Tx } from '../../kernel/store/store.ts';
import { keptName, repositoryAt, type Kept, type RemovedRow } from './store.ts';

const LINK_MS = 600_000;

export interface Restorer {
  /** Empty for the command line, as the other. */
  readonly username: string;
  readonly ip: string;
}
interface SourceParts {
  readonly host: Pick<Host, 'identity' | 'events'>;
  readonly backups: AccountBackups;
  /** `undefined` while nobody can read the settings. */
  readonly settings: SettingsBackups | undefined;
  readonly row: RemovedRow;
  readonly kept: Kept;
  readonly backup: KeptBackup;
  readonly run: TaskRun;
  /** Who restores the account. */
  readonly by: Restorer;
  /** Notes which account is being made. */
  readonly begun: (account: Account) => Promise<void>;
}

/** A backup of a removed account. */
export class RemovedSource implements AccountSource {
  readonly name: string;
  readonly grants = true;
  readonly told: ImportNotes = { missing: [], next: [] };
  /** The files that were restored. */
  counted: Counted = { files: 0, bytes: 0, leftOut: 0 };
  readonly #parts: SourceParts;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.name = sourceName(parts.row);
    for (const { name, engine, snapshot, problem } of parts.backup.databases.filter(isDatabase))
      if (snapshot === null)
        this.told.missing.push(`the database ${name || engine}, which is not in the backup: ${problem}`);
  }

  get account() {
    return this.#parts.kept.account;
  }

  get databases() {
    return this.#parts.backup.databases.filter((each) => isDatabase(each) && each.snapshot !== null);
  }

  /** The repository stays where it is until the account is complete: its objects, which never change, have another name meanwhile. */
  async files(account: Account): Promise<void> {
    const { backups, row, kept, backup, run, begun } = this.#parts;
    const { signal } = run;
    await begun(account);
    const named = kept.backups.map((each) => ({
      ...each,
      databases: each.databases.map((database) => ({ ...database, name: this.#nameHere(account, database.name) })),
    }));
    await backups.adopt(account, { key: kept.key, backups: named }, { signal, replaces: false }, async (folder) => {
      const args = ['--archive', '--link', '--', repositoryAt(backups, row), folder];
      const { code, stderr } = await runProgram('cp', args, { signal, timeoutMs: LINK_MS });
      if (code !== 0) throw new Error(`no picture of the repository: ${stderr}`);
    });
    this.counted = await backups.restoreFiles(account, backup.id, run);
  }

  dump(account: Account, { engine, name }: FormerDatabase): Promise<IncomingBody> {
    const { backups, backup, run } = this.#parts;
    const database = this.#nameHere(account, name);
    return backups.read(account, { id: backup.id, engine, database }, run.signal);
  }

  /** Returns the name that a database has in the backups once they are those of the new account. */
  #nameHere({ username }: Account, name: string): string {
    const prefix = `${this.account.username}_`;
    return name.startsWith(prefix) ? `${username}_${name.slice(prefix.length)}` : name;
  }

  async settings(account: Account): Promise<void> {
    const { host, run, kept } = this.#parts;
    await unlessRefused(this.told, 'the settings', () => this.#settings(account));
    run.signal.throwIfAborted();
    if (kept.account.is_suspended) await host.identity.accounts.suspend(account.username);
  }

  async #settings(account: Account): Promise<void> {
    const { backups, settings, backup, row, run, by } = this.#parts;
    const item = backup.databases.find(({ engine }) => engine === SETTINGS);
    const lost = settings === undefined ? 'the plugin settings-backups is off' : (item?.problem ?? null);
    if (settings === undefined || item?.snapshot == null) {
      this.told.missing.push(`the settings: ${lost ?? 'the backup has none'}`);
      return;
    }
    const content = await backups.read(account, { id: backup.id, engine: SETTINGS, database: '' }, run.signal);
    this.told.missing.push(
      ...(await settings.bringBack(account, row, content, { by: by.username || 'hostkeep', signal: run.signal })),
    );
  }

  async record(tx: Tx, account: Account): Promise<void> {
    const { host, row, backup, by } = this.#parts;
    const madeAt = new Date(backup.created_at).toISOString();
    const data = { restored_from: keptName(row), made_at: madeAt, left_out: this.told.missing.length };
    const text = `came back from the backup of ${madeAt}`;
    await host.events.record(tx, { type: 'account.restored', account, ip: by.ip, text, data });
  }
}

/** Returns the name of a removed account as a source. */
export const sourceName = (row: Pick<RemovedRow, 'id' | 'username'>): string => `the removed account ${keptName(row)}`;
