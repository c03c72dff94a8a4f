import type { AccountSource, FormerDatabase } from '../../../kernel/areas/archives/account-maker.ts';
import type { ImportNotes } from '../../../kernel/contract/points/archive-part.ts';
import type { SavedPart } from '../../../kernel/areas/archives/saved-parts.ts';
import type { IncomingBody } from '../../../kernel/contract/incoming-body.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Tx } from '../../../kernel/store/store.ts';
import { fail } from '../errors.ts';
import { makeAccount } from '../making.ts';
import type { Run } from '../run.ts';
import { unfinishedImports } from '../unfinished.ts';
import type { Archive } from './archive-file.ts';
import { POOL, UNPACK } from './jobs.ts';
import { FILES } from './manifest.ts';
import { archivedParts, restoreParts } from './parts.ts';

export interface Imported extends ImportNotes {
  readonly account: Account;
  readonly password: string;
}

/**
 * Makes an account of an archive; `chosen` are its name and plan here. Errors: those of `AccountMaker.make`, 422
 * `account_archive_refused`, those of parts.
 */
export async function importAccount(
  run: Run,
  archive: Archive,
  chosen: { readonly username: string; readonly plan: string | null },
): Promise<Imported> {
  const { node: host, say, signal } = run;
  const { passwords } = host.identity;
  const told: ImportNotes = { missing: [], next: [] };
  for (const unfinished of await unfinishedImports(host.store)) say(unfinished);
  const parts = await archivedParts(host, archive.manifest.parts, told);
  const password = passwords.random();
  const passwordHash = await passwords.hash(password);
  const source = new ArchiveSource(run, archive, parts, told);
  const account = await makeAccount(host, source, { ...chosen, passwordHash, say, signal });
  return { account, password, ...told };
}

/** An archive, whose parts plugins have checked. */
class ArchiveSource implements AccountSource {
  readonly name = '';
  readonly grants = false;
  readonly told: ImportNotes;
  readonly #run: Run;
  readonly #archive: Archive;
  readonly #parts: readonly SavedPart[];

  constructor(run: Run, archive: Archive, parts: readonly SavedPart[], told: ImportNotes) {
    this.#run = run;
    this.#archive = archive;
    this.#parts = parts;
    this.told = told;
  }

  get account() {
    return this.#archive.manifest.account;
  }

  get databases() {
    return this.#archive.manifest.databases;
  }

  async files(account: Account): Promise<void> {
    const { signal, node } = this.#run;
    const { chunks } = this.#archive.member(FILES) ?? {};
    if (chunks === undefined) return;
    const pool = node.jobs.open(POOL);
    const onAsk = async () => {
      const { done, value } = chunks.next();
      return done === true ? { answer: 'end', bytes: Buffer.alloc(0) } : { answer: null, bytes: value };
    };
    try {
      const { inodes_limit: most = 0, disk_limit_mib: mostMib = 0 } = account.plan?.limits ?? {};
      await pool.run(UNPACK, node.jobs.ownerOf(account, { makesRoot: true }), { most, mostMib }, { signal, onAsk });
    } finally {
      await pool.close();
    }
  }

  async dump(_account: Account, { engine, name }: FormerDatabase): Promise<IncomingBody> {
    const named = this.databases.find((each) => each.engine === engine && each.name === name);
    const dump = named && this.#archive.member(named.member);
    if (dump === undefined) throw fail.account_archive_refused('the archive has no dump of it');
    async function* pieces() {
      yield* dump?.chunks ?? [];
    }
    return Object.assign(pieces(), { sizeBytes: dump.sizeBytes });
  }

  /** The account is suspended while plugins put back what they keep, so that nothing is served of which a part is still missing. */
  async settings({ username }: Account): Promise<void> {
    const { accounts } = this.#run.node.identity;
    await restoreParts(this.#run, username, this.#parts, this.told, { isOpen: true });
    await accounts.suspend(username);
    await restoreParts(this.#run, username, this.#parts, this.told, { isOpen: false });
    if (this.account.is_suspended) return;
    await accounts.unsuspend(username);
    const open = await accounts.get(username);
    for (const { part, saved } of this.#parts) await part.serve?.(open, saved, this.told);
  }

  async record(tx: Tx, account: Account): Promise<void> {
    const { account: source, created_at: exportedAt } = this.#archive.manifest;
    const data = { exported_as: source.username, exported_at: exportedAt };
    const event = { type: 'account.imported', account, ip: '', text: 'came from an archive', data } as const;
    await this.#run.node.events.record(tx, event);
  }
}
