import { rm } from 'node:fs/promises';
import type { AccountMaker } from '../../kernel/areas/archives/account-maker.ts';
import type { ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, KeptBackup, SettingsBackups } from '../../kernel/areas/backups/account-backups.ts';
import { AccountTasks, type Counted, type TaskRun } from '../../kernel/areas/tasks/account-tasks.ts';
import { isDatabase } from '../../kernel/contract/points/backup-source.ts';
import { withBeat } from '../../kernel/areas/tasks/with-beat.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import { fail } from './errors.ts';
import type { RestorableAccount, RemovedAccountsConfig } from './schema.ts';
import { RemovedSource, sourceName, type Restorer } from './source.ts';
import * as rows from './store.ts';

const DAY_MS = 24 * 3_600_000;
const LEASE_MS = 60_000;
const STALL_MS = 600_000;
/** So many things that are missing are named in a task. */
const NAMED = 20;

/** How an account comes back; what is not given is as it was. */
export interface Chosen {
  readonly backup?: string | undefined;
  readonly username?: string | undefined;
  readonly plan?: string | null | undefined;
}
/** A restoration that can begin. */
interface Prepared {
  readonly row: rows.RemovedRow;
  readonly kept: rows.Kept;
  readonly backup: KeptBackup;
  readonly username: string;
  readonly plan: string | null;
}
export interface Restored extends ImportNotes {
  readonly username: string;
  readonly plan: string | null;
  readonly counted: Counted;
}
interface Parts {
  readonly backups: AccountBackups;
  readonly maker: AccountMaker | undefined;
  readonly settings: SettingsBackups | undefined;
}

/** The removed accounts of this machine whose backups are there. */
export class KeptAccounts {
  readonly tasks: AccountTasks<'restore'>;
  readonly #host: Host<RemovedAccountsConfig>;
  readonly #parts: Parts;

  constructor(host: Host<RemovedAccountsConfig>, parts: Parts) {
    this.#host = host;
    this.#parts = parts;
    this.tasks = new AccountTasks(host, { table: 'removed_account_tasks', errors: fail, stallMs: STALL_MS });
  }

  /** Notes what an account is, before it is removed. Resolves with what people are to know of that. */
  async note(account: Account): Promise<string | undefined> {
    const { config, identity, local } = this.#host;
    const { id, username, email, locale, plan, suspended, overrides } = account;
    const isWanted = config.days > 0 && account.role === 'user' && identity.accounts.isHere(account);
    const kept = isWanted ? await this.#parts.backups.kept(account) : undefined;
    if (kept === undefined) {
      await local.write((tx) => rows.forget(tx, id));
      return undefined;
    }
    const { key, backups, sizeBytes } = kept;
    const was = { username, email, locale, plan: plan?.name ?? null, is_suspended: suspended, features: overrides };
    const sealed = identity.keys.seal(JSON.stringify({ account: was, key, backups } satisfies rows.Kept), context(id));
    const noted = { id, username, newest_at: backups[0]?.created_at ?? 0, size_bytes: sizeBytes, sealed };
    await local.write((tx) => rows.noteRemoval(tx, noted));
    return `its ${backups.length} backups stay for ${config.days} days after its purge: hostkeep removed-account list`;
  }

  /** Resolves with whether the repository of a removed account is kept, which is purged now. Errors: 409 `removed_account_busy`. */
  async keep({ id, removedAt }: RemovedAccount): Promise<boolean> {
    const row = await this.#kept(id);
    if (row === undefined) return false;
    if (row.is_restoring === 1) throw busy();
    await this.#host.local.write((tx) => rows.notePurge(tx, id, removedAt));
    return true;
  }

  async keeps(id: number): Promise<boolean> {
    return (await this.#kept(id)) !== undefined;
  }

  async list(): Promise<RestorableAccount[]> {
    const [noted, unpurged] = await Promise.all([rows.listNoted(this.#host.local), this.#unpurged()]);
    return noted.filter((row) => row.purged_at !== null || unpurged.has(row.id)).map((row) => this.#view(row));
  }

  /**
   * Resolves with a restoration that can begin. Errors: 404 `removed_account_not_found`, `backup_not_found`, `plan_not_found`, 409
   * `account_exists`, `name_reserved`, 503 `feature_unavailable`.
   */
  async prepare(name: string, chosen: Chosen): Promise<Prepared> {
    const { accounts, plans } = this.#host.identity;
    const row = await this.#find(name);
    const kept = this.#unsealed(row);
    const { username = row.username, plan = kept.account.plan } = chosen;
    const backup = chosen.backup === undefined ? kept.backups[0] : kept.backups.find(({ id }) => id === chosen.backup);
    if (backup === undefined) throw fail.backup_not_found('the removed account has no backup of this id');
    if (plan !== null) await plans.get(plan);
    if ((await accounts.byUsername(username)) !== undefined)
      throw fail.account_exists(`the account ${username} already exists`);
    if ((await accounts.removed.list()).some((each) => each.username === username))
      throw fail.name_reserved(`${username} is the name of a removed account that is not purged`);
    return { row, kept, backup, username, plan };
  }

  /** Begins a restoration. Errors: those of `prepare`, 409 `removed_account_busy`, 503 `overloaded`; of the task, those of `restore`. */
  async begin(name: string, chosen: Chosen, passwordHash: string, by: Restorer) {
    const prepared = await this.prepare(name, chosen);
    const { row, username } = prepared;
    if (row.is_restoring === 1) throw busy();
    return this.tasks.begin(row, { kind: 'restore', path: username }, (run) =>
      withBeat(run, { files: 0, bytes: 0, leftOut: 0 }, async () => {
        const { counted, missing, next } = await this.restore(prepared, passwordHash, run, by);
        const all = [...missing, ...next];
        const more = all.length > NAMED ? [`and ${all.length - NAMED} more`] : [];
        const detail = [...all.slice(0, NAMED), ...more].join('; ');
        return { ...counted, leftOut: missing.length, ...(detail !== '' && { detail }) };
      }),
    );
  }

  /**
   * Makes a new account of a removed one, to which the backups belong then. What fails removes it again, and the backups stay as they were.
   * Errors: those of `AccountMaker.make` and of restoring files, 409 `removed_account_busy`.
   */
  async restore(
    { row: { id: removed }, kept, backup, username, plan }: Prepared,
    passwordHash: string,
    { id, onProgress, say = () => undefined, ...run }: TaskRun & { readonly say?: (step: string) => void },
    by: Restorer,
  ): Promise<Restored> {
    const { maker } = this.#parts;
    if (maker === undefined) throw fail.feature_unavailable('the plugin account-archives is off or unavailable');
    return this.#alone(removed, async (lost, row) => {
      const signal = AbortSignal.any([run.signal, lost]);
      const begun = ({ id: made }: Account) => this.#note(row, true, made);
      const surroundings = { host: this.#host, ...this.#parts, row, kept, backup, by, begun };
      const source = new RemovedSource({ ...surroundings, run: { id, onProgress, signal } });
      await this.#note(row, true, null);
      try {
        await maker.make(source, { username, plan, passwordHash, say, signal });
      } catch (error) {
        await this.#mend(row.id);
        throw error;
      }
      await this.#discard(row);
      return { username, plan, counted: source.counted, ...source.told };
    });
  }

  /** Removes the backups of a removed account for good. Errors: 404 `removed_account_not_found`, 409 `removed_account_busy`. */
  async remove(name: string, by: Restorer): Promise<void> {
    const row = await this.#find(name);
    await this.#alone(row.id, async (_, now) => {
      await this.#mend(now.id);
      await this.#tellRemoved(now, by);
      await this.#discard(now);
    });
  }

  /** Removes what is left of restorations that were killed, and backups whose time has come. */
  async look(): Promise<void> {
    const { local, log } = this.#host;
    const unpurged = await this.#unpurged();
    for (const row of await rows.listNoted(local)) {
      const stayed = row.purged_at === null && !unpurged.has(row.id) && row.removed_at < Date.now() - DAY_MS;
      if (stayed) await local.write((tx) => rows.forget(tx, row.id));
      if (stayed || (row.is_restoring === 0 && this.#goneAt(row) > Date.now())) continue;
      const lease = await this.#lease(row.id);
      if (lease === undefined) continue; // somebody restores or removes it
      const work = async () => {
        await this.#mend(row.id);
        const after = await rows.findRemoved(local, row.id);
        if (after === undefined || after.is_restoring === 1 || this.#goneAt(after) > Date.now()) return;
        await this.#tellRemoved(after);
        await this.#discard(after);
      };
      await work()
        .catch((err: unknown) => log.warn({ err, removed: rows.keptName(row) }, 'a removed account stays'))
        .finally(() => lease.release());
    }
    await local.write((tx) => rows.forgetTasks(tx));
  }

  /** Ends what a killed process, or one that failed, has begun. The caller has the row for itself. */
  async #mend(id: number): Promise<void> {
    const { identity, local, log } = this.#host;
    const row = await rows.findRemoved(local, id);
    if (row === undefined || row.is_restoring === 0) return;
    const { maker } = this.#parts;
    if (maker === undefined) throw fail.feature_unavailable('the plugin account-archives is off or unavailable');
    const problems = await maker.unmake(sourceName(row), row.made_id);
    const isMade = row.made_id !== null && (await identity.accounts.byId(row.made_id)) !== undefined;
    if (isMade) return this.#discard(row);
    if (problems.length > 0)
      log.warn({ problems, removed: rows.keptName(row) }, 'a restored account is not all removed');
    else await this.#note(row, false, null);
  }

  #note({ id }: rows.RemovedRow, isRestoring: boolean, madeId: number | null): Promise<void> {
    return this.#host.local.write((tx) => rows.noteRestoring(tx, id, isRestoring, madeId));
  }

  async #discard(row: rows.RemovedRow): Promise<void> {
    await rm(rows.repositoryAt(this.#parts.backups, row), { recursive: true, force: true });
    await this.#host.local.write((tx) => rows.forget(tx, row.id));
  }

  #tellRemoved(row: rows.RemovedRow, by?: Restorer): Promise<void> {
    const { store, events } = this.#host;
    const data = { removed_account: rows.keptName(row) };
    const text = `removed the backups of the removed account ${data.removed_account}`;
    const actor = { username: by?.username ?? '', ip: by?.ip ?? '', isNoticed: by === undefined };
    return store.write((tx) => events.record(tx, { type: 'account.backups_removed', ...actor, text, data }));
  }

  /** Resolves with the ids of removed accounts whose data is there. */
  async #unpurged(): Promise<ReadonlySet<number>> {
    return new Set((await this.#host.identity.accounts.removed.list()).map(({ id }) => id));
  }

  /** Resolves with what was noted of a removed account, where that counts. */
  async #kept(id: number): Promise<rows.RemovedRow | undefined> {
    const { config, local } = this.#host;
    return config.days > 0 ? rows.findRemoved(local, id) : undefined;
  }

  #lease(id: number) {
    return this.#host.node.leases.acquire(`removed account ${id}`, LEASE_MS);
  }

  /** Calls back with the row as it is by then. Errors: 404 `removed_account_not_found`, 409 `removed_account_busy`. */
  async #alone<T>(id: number, work: (lost: AbortSignal, row: rows.RemovedRow) => Promise<T>): Promise<T> {
    const lease = await this.#lease(id);
    if (lease === undefined) throw busy();
    const run = async () => work(lease.signal, (await rows.findRemoved(this.#host.local, id)) ?? notThere());
    return run().finally(() => lease.release());
  }

  /** Errors: 404 `removed_account_not_found`. */
  async #find(name: string): Promise<rows.RemovedRow> {
    const row = await rows.findRemoved(this.#host.local, rows.idIn(name));
    if (row === undefined || rows.keptName(row) !== name) return notThere();
    return row.purged_at !== null || (await this.#unpurged()).has(row.id) ? row : notThere();
  }

  #goneAt({ purged_at: at }: rows.RemovedRow): number {
    return at === null ? Infinity : at + this.#host.config.days * DAY_MS;
  }

  #unsealed({ id, sealed }: rows.RemovedRow): rows.Kept {
    return JSON.parse(this.#host.identity.keys.unseal(sealed, context(id))) as rows.Kept;
  }

  #view(row: rows.RemovedRow): RestorableAccount {
    const { account, backups } = this.#unsealed(row);
    return {
      ...{ name: rows.keptName(row), username: row.username, plan: account.plan, size_bytes: row.size_bytes },
      removed_at: timeText(row.removed_at),
      gone_at: row.purged_at === null ? null : timeText(this.#goneAt(row)),
      is_restoring: row.is_restoring === 1,
      backups: backups.map(({ id, created_at: at, files, size_bytes, databases }) => {
        const dumps = databases.filter((each) => isDatabase(each) && each.snapshot !== null);
        return { id, created_at: timeText(at), files, size_bytes, databases: dumps.length };
      }),
    };
  }
}

const context = (id: number): string => `backups of the removed account ${id}`;
const timeText = (ms: number): string => new Date(ms).toISOString();
function notThere(): never {
  throw fail.removed_account_not_found('no backups of a removed account of this name are here');
}
const busy = () => fail.removed_account_busy('it is being restored or removed', { retryAfterSeconds: 10 });
