import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { isThere, undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import { AGAIN, fail } from '../errors.ts';
import type { BackupsConfig } from '../schema.ts';
import { keepKey } from '../store.ts';
import { NAME } from '../../../kernel/kit/restic/questions.ts';
import { INCOMPLETE } from '../../../kernel/kit/restic/repository-access.ts';
import { makeKeyQuick } from './quick-key.ts';
import { ServiceRestic, type Repository } from '../../../kernel/kit/restic/service-restic.ts';

type Owner = Pick<Account, 'id' | 'username'>;

const PROVE_MS = 30_000;
const INIT_MS = 120_000;
/** To find out what is needed, all folders of all backups are read. */
const PRUNE_MS = 6 * 3_600_000;
/** A repository is made beside its place, so that a crash leaves nothing half made there; others make pictures of one, and move one. */
const BESIDE = ['new', 'picture', 'arriving', 'leaving'] as const;
type Beside = (typeof BESIDE)[number] | 'removed';

/**
 * The repositories of accounts, in the data folder, which no account can enter. What runs here runs as the service, which alone
 * removes something, and concerns the repository only.
 */
export class Repositories {
  readonly #host: Pick<Host<BackupsConfig>, 'config' | 'node' | 'store' | 'identity'>;
  readonly #root: string;
  readonly #restic: ServiceRestic;

  constructor(host: Pick<Host<BackupsConfig>, 'config' | 'node' | 'store' | 'identity'>) {
    this.#host = host;
    this.#root = join(host.node.config.data, 'backups');
    this.#restic = new ServiceRestic(host.config.program, host.config.memory_mib);
  }

  /** Resolves with the version of restic. Errors: 503 `backups_unavailable`. */
  version(): Promise<string> {
    return this.#restic.version();
  }

  /** Resolves with the repository of an account, which is made if there is none. Errors: 503 `backups_unavailable`. */
  async open(owner: Owner): Promise<Repository> {
    return (await this.find(owner)) ?? this.#make(owner);
  }

  /** Resolves with `undefined` if there is none. */
  async find(owner: Owner): Promise<Repository | undefined> {
    const folder = this.at(owner);
    const config = await stat(join(folder, 'config')).catch(undefinedIfMissing);
    return config === undefined ? undefined : { folder, key: await this.key(owner) };
  }

  /** Removes what runs that were killed have left. The caller has the repository for itself. */
  async tidy({ folder }: Repository): Promise<void> {
    await rm(join(folder, INCOMPLETE), { recursive: true, force: true });
    await mkdir(join(folder, INCOMPLETE), { mode: 0o700 });
    for (const name of await readdir(join(folder, 'locks'))) await rm(join(folder, 'locks', name), { force: true });
  }

  /** Resolves with the ids of the snapshots that are there. */
  async snapshots({ folder }: Repository): Promise<Set<string>> {
    return new Set((await readdir(join(folder, 'snapshots'))).filter((name) => NAME.test(name)));
  }

  async forget({ folder }: Repository, id: string): Promise<void> {
    await rm(join(folder, 'snapshots', id), { force: true });
  }

  /** Resolves with the bytes of all objects. */
  async sizeBytes({ folder }: Repository): Promise<number> {
    let total = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        total += (await stat(join(entry.parentPath, entry.name)).catch(undefinedIfMissing))?.size ?? 0;
    return total;
  }

  /** Removes what no snapshot needs. The caller has the repository for itself. Errors: 503 `backups_unavailable`. */
  async prune(repository: Repository, signal: AbortSignal): Promise<void> {
    await this.tidy(repository);
    await this.#restic.run(repository, ['prune'], PRUNE_MS, signal);
  }

  /** Proves that a repository opens with its key. Errors: 503 `backups_unavailable`. */
  async prove(repository: Repository | undefined): Promise<void> {
    if (repository === undefined) throw fail.backups_unavailable('the repository is damaged: it has no config', AGAIN);
    await this.#restic.run(repository, ['cat', 'config', '--no-lock'], PROVE_MS);
  }

  /** Moves the repository of a removed account to where a plugin keeps it. */
  async setAside(owner: Pick<Owner, 'id'>): Promise<void> {
    await rename(this.at(owner), this.at(owner, 'removed')).catch(undefinedIfMissing);
  }

  /** Removes the repository of an account, and what is beside it. Resolves with whether there was one. */
  async remove(owner: Pick<Owner, 'id'>): Promise<boolean> {
    const folder = this.at(owner);
    const wasThere = await isThere(folder);
    for (const each of [folder, ...BESIDE.map((name) => this.at(owner, name))])
      // those by which it may go, last
      await rm(each, { recursive: true, force: true });
    return wasThere;
  }

  /**
   * Puts a repository that `fill` makes in the place of the account's, which the caller has for itself. Errors: those of `fill`.
   */
  async place(owner: Owner, key: string, fill: (folder: string) => Promise<void>): Promise<Repository> {
    const [made, folder] = [this.at(owner, 'new'), this.at(owner)];
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await rm(made, { recursive: true, force: true });
    try {
      await fill(made);
      await rm(folder, { recursive: true, force: true });
      await this.key(owner, key);
      await rename(made, folder);
    } finally {
      await rm(made, { recursive: true, force: true });
    }
    return { folder, key };
  }

  /** Resolves with the ids of the accounts that have a repository here. */
  async owners(): Promise<number[]> {
    const names = (await readdir(this.#root).catch(undefinedIfMissing)) ?? [];
    return names.filter((name) => /^\d+$/.test(name)).map(Number);
  }

  /** Returns the folder of the repository of an account, or a place beside that. */
  at({ id }: Pick<Owner, 'id'>, beside?: Beside): string {
    return join(this.#root, beside === undefined ? String(id) : `${beside}-${id}`);
  }

  async #make(owner: Owner): Promise<Repository> {
    const folder = this.at(owner);
    if (await isThere(folder))
      throw fail.backups_unavailable('the repository of the account is damaged: it has no config', AGAIN);
    const key = await this.key(owner);
    return this.place(owner, key, async (made) => {
      const repository = { folder: made, key };
      await this.#restic.run(repository, ['init'], INIT_MS);
      await makeKeyQuick(repository);
      await this.prove(repository);
    });
  }

  /** Resolves with the password of an account's repository, which is `given` from now on. Errors: 404 `account_not_found` if it was removed. */
  async key(owner: Owner, given?: string): Promise<string> {
    const { store, identity } = this.#host;
    const context = `backups ${owner.id}`;
    const made = identity.keys.seal(given ?? randomBytes(32).toString('base64url'), context);
    const sealed = await store.write(async (tx) => {
      await identity.accounts.assertExists(tx, owner);
      return keepKey(tx, owner.id, made, given !== undefined);
    });
    return identity.keys.unseal(sealed, context);
  }
}
