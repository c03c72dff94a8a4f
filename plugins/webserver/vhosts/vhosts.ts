import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { pathComponents } from '../../../kernel/kit/files/client-path.ts';
import type { Log } from '../../../kernel/log.ts';
import type { DomainDirectory, DomainPart } from '../../../kernel/contract/points/domain-directory.ts';
import type { Change, ChangeBatcher } from './change-batcher.ts';
import { readOwner, type RenderSite, type Site } from './template.ts';
import { BEACON_FILE, COMMON_FILE, vhostFileName, isVhostFile, type VhostFolder } from './vhost-folder.ts';

interface VhostParts {
  readonly folder: VhostFolder;
  readonly batcher: ChangeBatcher;
  /** Writes the file that all virtual hosts share. */
  readonly prepare: () => Promise<unknown>;
  readonly render: RenderSite;
  readonly domains: DomainDirectory;
  readonly accounts: Accounts;
  readonly virtualRoot: string;
  /** The content of the file that all virtual hosts share, where there is one. */
  readonly common: string | undefined;
  readonly log: Log;
}

/** A younger file without a domain is kept, because its domain may be about to be added. */
const YOUNG_MS = 60_000;

/** The virtual hosts: one file for each domain in the store. */
export class Vhosts {
  readonly #parts: VhostParts;
  #reconciling: Promise<void> | undefined;
  #isStale = false;

  constructor(parts: VhostParts) {
    this.#parts = parts;
  }

  /** Errors: 400 `invalid_domain`, `invalid_docroot`, 502 `webserver_failed`. */
  add({ name, docroot, account }: DomainPart): Promise<void> {
    const components = pathComponents(docroot, this.#parts.virtualRoot);
    const site = siteOf(name, components, account);
    this.#parts.render(site, account.filesRoot); // throws for what cannot be written
    return this.#parts.batcher.change({ site, accountId: account.id });
  }

  /** Does nothing if there is no such file, and none being written. Errors: 502 `webserver_failed`. */
  async remove({ name, account }: Pick<DomainPart, 'name' | 'account'>): Promise<void> {
    const { folder, batcher } = this.#parts;
    const file = vhostFileName(name);
    if (!batcher.isBusy(file) && (await folder.changedAt(file)) === undefined) return;
    await batcher.change({ file, accountId: account.id });
  }

  /** Removes the virtual hosts of a removed account, and resolves with their number. Errors: 502 `webserver_failed`. */
  async removeOf(accountId: number): Promise<number> {
    const { folder, batcher } = this.#parts;
    const files: string[] = [];
    for (const file of (await folder.names()).filter(isVhostFile))
      if (readOwner((await folder.read(file)) ?? '') === accountId) files.push(file);
    await Promise.all(files.map((file) => batcher.change({ file, accountId })));
    return files.length;
  }

  /** Whether the domains of an account, or of a removed one, are served by this node. */
  async serves(username: string): Promise<boolean> {
    const { accounts } = this.#parts;
    return accounts.isHere({ home: await accounts.homeOf(username) });
  }

  /** Whether the file of an active domain is as it should be; the account may have been suspended while it was written. */
  async isCurrent(username: string, name: string): Promise<boolean> {
    const { folder, domains, accounts, render } = this.#parts;
    const content = await folder.read(vhostFileName(name));
    if (content === undefined) return false;
    const account = await accounts.byUsername(username);
    if (account === undefined) return false;
    const domain = (await domains.list(account)).find((each) => each.name === name);
    return domain === undefined || content === render(siteOf(name, domain.components, account), account.filesRoot);
  }

  /**
   * Reconciles at the start. Resolves when the differences are known, `done` when they are applied. The server reloads
   * in any case, because a killed process may have changed files without a reload. Set `spareYoung` when domains may be
   * about to be added.
   */
  async start({ spareYoung }: { readonly spareYoung: boolean }): Promise<{ readonly done: Promise<void> }> {
    const changes = await this.#differences(spareYoung);
    return { done: this.#apply([...changes, { file: BEACON_FILE }]) };
  }

  /**
   * Writes missing and outdated files, and removes files without a domain. Logs changes that the server refuses, and
   * tries them again the next time. Calls during a run cause one further run.
   */
  async reconcile(): Promise<void> {
    this.#isStale = true;
    this.#reconciling ??= this.#untilFresh().finally(() => (this.#reconciling = undefined));
    await this.#reconciling;
  }

  async #untilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#apply(await this.#differences(true));
    }
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const results = await Promise.allSettled(changes.map((change) => this.#parts.batcher.change(change)));
    const refused = results.filter((result) => result.status === 'rejected');
    if (refused[0] !== undefined)
      this.#parts.log.error(
        { err: refused[0].reason, count: refused.length, of: changes.length },
        'virtual hosts could not be reconciled with the domains',
      );
    else if (changes.length > 0)
      this.#parts.log.info({ count: changes.length }, 'virtual hosts were reconciled with the domains');
  }

  async #differences(spareYoung: boolean): Promise<Change[]> {
    const { folder, batcher, domains, render, common, log } = this.#parts;
    const present = new Set((await folder.names()).filter(isVhostFile));
    const accounts = await this.#accounts(); // after the names: a file without an account is that of a removed one
    const changes: Change[] = [];
    if (common !== undefined && (await folder.read(COMMON_FILE)) !== common) {
      await this.#parts.prepare();
      changes.push({ file: BEACON_FILE }); // so that the server reads it again
    }
    for await (const { name, components, accountId } of domains.all()) {
      const file = vhostFileName(name);
      present.delete(file);
      const account = accounts.get(accountId);
      if (account === undefined || batcher.isBusy(file)) continue;
      try {
        const site = siteOf(name, components, account);
        if ((await folder.read(file)) !== render(site, account.filesRoot)) changes.push({ site });
      } catch (error) {
        log.error({ domain: name, err: error }, `the virtual host cannot be written: ${errorMessage(error)}`);
      }
    }
    for (const file of present)
      if (!batcher.isBusy(file) && !(spareYoung && (await this.#mayBeAdded(file)))) changes.push({ file });
    return changes;
  }

  /** Reads those of this node from the store, as the snapshots in memory may not show yet what another process changed. */
  async #accounts(): Promise<Map<number, Account>> {
    const all = new Map<number, Account>();
    for await (const page of this.#parts.accounts.pagesOfHere())
      for (const account of page) all.set(account.id, account);
    return all;
  }

  /** Whether a file without a domain may be that of a domain that is being added. */
  async #mayBeAdded(file: string): Promise<boolean> {
    const { folder, accounts } = this.#parts;
    if (Date.now() - ((await folder.changedAt(file)) ?? 0) >= YOUNG_MS) return false;
    const owner = readOwner((await folder.read(file)) ?? '');
    if (owner === undefined) return true;
    const account = await accounts.byId(owner); // which may be newer than all that were read
    return account !== undefined && accounts.isHere(account);
  }
}

function siteOf(domain: string, components: readonly string[], { id, username, suspended }: Account): Site {
  return { domain, account: { id, username }, components, isSuspended: suspended };
}
