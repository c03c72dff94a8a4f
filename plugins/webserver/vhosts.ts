import { join } from 'node:path';
import type { Account, Accounts } from '../../kernel/identity/accounts.ts';
import { messageOf } from '../../kernel/errors.ts';
import { componentsOf } from '../../kernel/system/safe-folder.ts';
import type { Log } from '../../kernel/log.ts';
import type { DomainPart } from '../../kernel/plugin-api/points/domain-part.ts';
import type { DomainsService } from '../domains/service.ts';
import type { Batches, Change } from './batches.ts';
import { BEACON_FILE, fileNameOf, HEADER, isOurs, type Site } from './template.ts';
import type { VhostFolder } from './vhost-folder.ts';

export interface VhostParts {
  readonly folder: VhostFolder;
  readonly batches: Batches;
  readonly render: (site: Site) => string;
  readonly domains: DomainsService;
  readonly accounts: Accounts;
  readonly virtualRoot: string;
  readonly listen: string;
  readonly log: Log;
}

/** A file of no domain is left alone for so long, because its domain may be in the middle of being added. */
const YOUNG_MS = 60_000;

/** One file for each domain, in step with the store. */
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
    return this.#parts.batches.change({ file: fileNameOf(name), content });
  }

  /** Nothing to do where there is no such file and none on its way. Errors: 502 `webserver_failed`. */
  async remove({ name }: Pick<DomainPart, 'name'>): Promise<void> {
    const { folder, batches } = this.#parts;
    const file = fileNameOf(name);
    if (!batches.isBusy(file) && (await folder.changedAt(file)) === undefined) return;
    await batches.change({ file, content: undefined });
  }

  /** Whether the file of a domain is there. */
  async has(name: string): Promise<boolean> {
    return (await this.#parts.folder.changedAt(fileNameOf(name))) !== undefined;
  }

  /**
   * `reconcile` at the start: resolves when it is known what there is to do, `done` when it is done. The server is
   * told to reload in any case, as a killed process may have left it behind the files. `spareYoung` where domains may
   * be in the middle of being added.
   */
  async start({ spareYoung }: { readonly spareYoung: boolean }): Promise<{ readonly done: Promise<void> }> {
    const changes = await this.#differences(spareYoung);
    return { done: this.#apply([...changes, { file: BEACON_FILE, content: HEADER }]) };
  }

  /**
   * Makes the files fit the domains: missing and outdated ones are written, those of no domain are removed. What the
   * server refuses is told to the log and tried again the next time. Calls while one runs lead to one more run.
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
    const results = await Promise.allSettled(changes.map((change) => this.#parts.batches.change(change)));
    const refused = results.filter((result) => result.status === 'rejected');
    if (refused[0] !== undefined)
      this.#parts.log.error(
        { err: refused[0].reason, count: refused.length, of: changes.length },
        'virtual hosts could not be brought in step with the domains',
      );
    else if (changes.length > 0)
      this.#parts.log.info({ count: changes.length }, 'virtual hosts were brought in step with the domains');
  }

  async #differences(spareYoung: boolean): Promise<Change[]> {
    const { folder, batches, domains, accounts, log } = this.#parts;
    const present = new Set((await folder.names()).filter(isOurs));
    const changes: Change[] = [];
    for await (const { name, components, accountId } of domains.all()) {
      const file = fileNameOf(name);
      present.delete(file);
      const account = await accounts.byId(accountId);
      if (account === undefined || batches.isBusy(file)) continue;
      try {
        const content = this.#render(name, components, account);
        if ((await folder.read(file)) !== content) changes.push({ file, content });
      } catch (error) {
        log.error({ domain: name, err: error }, `no virtual host can be written: ${messageOf(error)}`);
      }
    }
    for (const file of present)
      if (!batches.isBusy(file) && !(spareYoung && (await this.#isYoung(file))))
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
