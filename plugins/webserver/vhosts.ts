import { join } from 'node:path';
import type { Account, Accounts } from '../../kernel/identity/accounts.ts';
import { messageOf } from '../../kernel/errors.ts';
import { componentsOf } from '../../kernel/system/client-path.ts';
import type { Log } from '../../kernel/log.ts';
import type { DomainPart } from '../../kernel/plugin-api/points/domain-part.ts';
import type { DomainDirectory } from '../../kernel/plugin-api/points/domain-directory.ts';
import type { Change, ChangeBatcher } from './change-batcher.ts';
import { HEADER, type VhostValues } from './template.ts';
import { BEACON_FILE, COMMON_FILE, fileNameOf, isVhostFile, type VhostFolder } from './vhost-folder.ts';

interface VhostParts {
  readonly folder: VhostFolder;
  readonly batcher: ChangeBatcher;
  readonly render: (values: VhostValues) => string;
  readonly domains: DomainDirectory;
  readonly accounts: Accounts;
  readonly virtualRoot: string;
  readonly listen: string;
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
    const content = this.#render(name, componentsOf(docroot, this.#parts.virtualRoot), account);
    return this.#parts.batcher.change({ file: fileNameOf(name), content, accountId: account.id });
  }

  /** Does nothing if there is no such file, and none being written. Errors: 502 `webserver_failed`. */
  async remove({ name, account }: Pick<DomainPart, 'name' | 'account'>): Promise<void> {
    const { folder, batcher } = this.#parts;
    const file = fileNameOf(name);
    if (!batcher.isBusy(file) && (await folder.changedAt(file)) === undefined) return;
    await batcher.change({ file, content: undefined, accountId: account.id });
  }

  /** Whether the file of a domain exists. */
  async has(name: string): Promise<boolean> {
    return (await this.#parts.folder.changedAt(fileNameOf(name))) !== undefined;
  }

  /**
   * Reconciles at the start. Resolves when the differences are known, `done` when they are applied. The server reloads
   * in any case, because a killed process may have changed files without a reload. Set `spareYoung` when domains may be
   * about to be added.
   */
  async start({ spareYoung }: { readonly spareYoung: boolean }): Promise<{ readonly done: Promise<void> }> {
    const changes = await this.#differences(spareYoung);
    return { done: this.#apply([...changes, { file: BEACON_FILE, content: HEADER }]) };
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
    const { folder, batcher, domains, accounts, common, log } = this.#parts;
    const present = new Set((await folder.names()).filter(isVhostFile));
    const changes: Change[] = [];
    if (common !== undefined && (await folder.read(COMMON_FILE)) !== common)
      changes.push({ file: COMMON_FILE, content: common });
    for await (const { name, components, accountId } of domains.all()) {
      const file = fileNameOf(name);
      present.delete(file);
      const account = await accounts.byId(accountId);
      if (account === undefined || batcher.isBusy(file)) continue;
      try {
        const content = this.#render(name, components, account);
        if ((await folder.read(file)) !== content) changes.push({ file, content });
      } catch (error) {
        log.error({ domain: name, err: error }, `the virtual host cannot be written: ${messageOf(error)}`);
      }
    }
    for (const file of present)
      if (!batcher.isBusy(file) && !(spareYoung && (await this.#isYoung(file))))
        changes.push({ file, content: undefined });
    return changes;
  }

  async #isYoung(file: string): Promise<boolean> {
    return Date.now() - ((await this.#parts.folder.changedAt(file)) ?? 0) < YOUNG_MS;
  }

  #render(domain: string, components: readonly string[], { filesRoot, username }: Account): string {
    return this.#parts.render({
      domain,
      docroot: join(filesRoot, ...components),
      files_root: filesRoot,
      username,
      listen: this.#parts.listen,
    });
  }
}
