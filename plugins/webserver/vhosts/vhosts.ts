import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { pathComponents } from '../../../kernel/kit/files/client-path.ts';
import { Recurring } from '../../../kernel/kit/waiting/recurring.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Domain, DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import { hasDomain } from '../../../kernel/areas/sites/domain-directory.ts';
import type { SiteRule, SiteRules } from '../../../kernel/contract/points/web-server-part.ts';
import type { Change, ChangeBatcher } from './change-batcher.ts';
import { readOwner, type RenderSite, type Site } from './template.ts';
import { BEACON_FILE, isVhostFile, secretFileName, vhostFileName, type VhostFolder } from './vhost-folder.ts';

interface VhostParts {
  readonly folder: VhostFolder;
  readonly batcher: ChangeBatcher;
  /** Writes the files beside the virtual hosts. */
  readonly prepare: () => Promise<unknown>;
  readonly render: RenderSite;
  readonly domains: DomainDirectory;
  readonly accounts: Accounts;
  readonly virtualRoot: string;
  /** Rejects where a plugin cannot tell its rules, so that no site loses them. */
  readonly rules: (domainIds: readonly number[]) => Promise<SiteRules>;
  /** Resolves with the files beside the virtual hosts. */
  readonly shared: () => Promise<ReadonlyMap<string, string | undefined>>;
  readonly log: Log;
}

/** A domain that no virtual host can be written for. */
interface RefusedDomain {
  readonly domain: string;
  readonly error: unknown;
}

/** A domain with the rule by which it is served. */
type Ruled = Domain & { readonly rule: SiteRule | undefined };
/** A site, and what it serves over TLS with. */
interface Wanted {
  readonly site: Site;
  readonly pem?: string;
}

interface Comparison {
  /** Whose file is missing, or another than it should be. */
  readonly outdated: readonly Wanted[];
  readonly refused: readonly RefusedDomain[];
  /** Files without a domain. */
  readonly left: ReadonlySet<string>;
  /** Files of domains that are being written, and are not compared. */
  readonly busy: ReadonlySet<string>;
}

type Differences = Pick<Comparison, 'refused' | 'busy'> & { readonly changes: readonly Change[] };

/** A younger file without a domain is kept, because its domain may be about to be added. */
const YOUNG_MS = 60_000;
/** Domains whose rules are asked for at a time. */
const PAGE = 500;
/** How often something is written in a row, as what it is made from may change meanwhile, and how soon it is looked whether it is there. */
const [TURNS, POLL_MS] = [2, 20];

/** The virtual hosts: one file for each domain in the store. */
export class Vhosts {
  readonly #parts: VhostParts;
  readonly #reconciling = new Recurring({
    run: async () => {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const differences = await this.#differences(true);
        if ((await this.#apply(differences)) === 0 && differences.busy.size === 0) return;
        // what is being written may be as it was wanted before
        while ([...differences.busy].some((file) => this.#parts.batcher.isBusy(file))) await delay(POLL_MS);
      }
    },
    failed: (error) => this.note([error]),
    everyMs: 0,
  });
  #problem: string | undefined;

  constructor(parts: VhostParts) {
    this.#parts = parts;
  }

  /** The reason why virtual hosts are not as the domains need them since the last comparison; `undefined` if they are. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Keeps why virtual hosts are not as they should be, and logs it once; no errors if they are. */
  note(errors: readonly unknown[]): void {
    const [err] = errors;
    const cause = err instanceof Error && err.cause !== undefined ? err.cause : err;
    const problem =
      errors.length === 0
        ? undefined
        : `${errors.length} changes that the domains need were not made: ${errorMessage(cause)}`;
    if (problem !== undefined && problem !== this.#problem) this.#parts.log.error({ err }, problem);
    this.#problem = problem;
  }

  /** Resolves with the domains whose files are not as they should be. Changes nothing. */
  async outdated(): Promise<string[]> {
    const { outdated, refused } = await this.#compare();
    return [...outdated.map(({ site }) => site.domain), ...refused.map(({ domain }) => domain)];
  }

  /** Errors: 400 `invalid_domain`, `invalid_docroot`, 502 `webserver_failed`. */
  async add(domain: DomainPart): Promise<void> {
    const { wanted } = await this.#rendered(domain, pathComponents(domain.docroot, this.#parts.virtualRoot));
    await this.#parts.batcher.change({ ...wanted, accountId: domain.account.id });
  }

  /** Serves a domain by its rules of now. Errors: those of `add`. */
  async change(domain: DomainPart): Promise<void> {
    const { folder, batcher, domains, virtualRoot } = this.#parts;
    const [file, components] = [vhostFileName(domain.name), pathComponents(domain.docroot, virtualRoot)];
    for (let turn = 0; await hasDomain(domains, domain.account, domain); turn += 1) {
      const { wanted, content } = await this.#rendered(domain, components);
      if (turn === TURNS || (!batcher.isBusy(file) && (await folder.read(file)) === content)) return;
      await batcher.change({ ...wanted, accountId: domain.account.id });
    }
    await this.remove(domain);
  }

  /** Rejects for what cannot be written. */
  async #rendered({ id, name, account: given }: Omit<DomainPart, 'docroot'>, components: readonly string[]) {
    const account = (await this.#parts.accounts.byId(given.id)) ?? given; // it may be suspended by now
    const wanted = wantedSite(name, components, account, (await this.#parts.rules([id])).get(id));
    return { wanted, content: this.#parts.render(wanted.site, account.filesRoot).content };
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
    const { folder, domains, accounts } = this.#parts;
    const content = await folder.read(vhostFileName(name));
    const account = await accounts.byUsername(username);
    if (content === undefined || account === undefined) return false;
    const domain = (await domains.list(account)).find((each) => each.name === name);
    if (domain === undefined) return true;
    return content === (await this.#rendered({ ...domain, account }, domain.components)).content;
  }

  /**
   * Reconciles at the start. Resolves when the differences are known, `done` when they are applied. The server reloads
   * in any case, because a killed process may have changed files without a reload. Set `spareYoung` when domains may be
   * about to be added.
   */
  async start({ spareYoung }: { readonly spareYoung: boolean }): Promise<{ readonly done: Promise<unknown> }> {
    await this.#parts.prepare();
    try {
      const differences = await this.#differences(spareYoung);
      return { done: this.#apply({ ...differences, changes: [...differences.changes, { file: BEACON_FILE }] }) };
    } catch (error) {
      this.note([error]);
      return { done: Promise.resolve() };
    }
  }

  /**
   * Writes missing and outdated files, and removes files without a domain. Changes that the server refuses are the
   * `problem`, and are tried again the next time. Calls during a run cause one further run.
   */
  reconcile(): Promise<void> {
    return this.#reconciling.settled();
  }

  /** Resolves with the number of changes that were made. */
  async #apply({ changes, refused: unwritable }: Differences): Promise<number> {
    const results = await Promise.allSettled(changes.map((change) => this.#parts.batcher.change(change)));
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    this.note([...unwritable.map(({ error }) => error), ...refused]);
    const made = changes.length - refused.length;
    if (made > 0) this.#parts.log.info({ count: made }, 'virtual hosts were reconciled with the domains');
    return made;
  }

  async #differences(spareYoung: boolean): Promise<Differences> {
    const { folder, batcher } = this.#parts;
    const changes: Change[] = [];
    const shared = [...(await this.#parts.shared())];
    const isOld = await Promise.all(shared.map(async ([name, content]) => (await folder.read(name)) !== content));
    if (isOld.includes(true)) {
      await this.#parts.prepare();
      changes.push({ file: BEACON_FILE }); // so that the server reads them again
    }
    const { outdated, refused, left, busy } = await this.#compare();
    changes.push(...outdated);
    for (const file of left)
      if (!batcher.isBusy(file) && !(spareYoung && (await this.#mayBeAdded(file)))) changes.push({ file });
    return { changes, refused, busy };
  }

  /** Compares the domains with their files, except those that are being changed. */
  async #compare(): Promise<Comparison> {
    const { folder, batcher, domains, render } = this.#parts;
    const names = new Set(await folder.names());
    const left = new Set([...names].filter(isVhostFile));
    const accounts = await this.#accounts(); // after the names: a file without an account is that of a removed one
    const outdated: Wanted[] = [];
    const refused: RefusedDomain[] = [];
    const busy = new Set<string>();
    for await (const { name: domain, components, accountId, rule } of this.#withRules(domains)) {
      const file = vhostFileName(domain);
      left.delete(file);
      const account = accounts.get(accountId);
      if (batcher.isBusy(file)) busy.add(file);
      if (account === undefined || busy.has(file)) continue;
      try {
        const wanted = wantedSite(domain, components, account, rule);
        const { content, users } = render(wanted.site, account.filesRoot);
        const hasAll = [wanted.site.certificate, ...users.keys()].every((name) => name === '' || names.has(name));
        if (!hasAll || (await folder.read(file)) !== content) outdated.push(wanted);
      } catch (error) {
        refused.push({ domain, error });
      }
    }
    return { outdated, refused, left, busy };
  }

  /** Reads all domains, each with its rule; rules are asked for many domains at a time. */
  async *#withRules(domains: DomainDirectory): AsyncGenerator<Ruled> {
    let page: Domain[] = [];
    const ruled = async (): Promise<Ruled[]> => {
      const rules = await this.#parts.rules(page.map(({ id }) => id));
      return page.map((domain) => ({ ...domain, rule: rules.get(domain.id) }));
    };
    for await (const domain of domains.all()) {
      if (page.push(domain) < PAGE) continue;
      yield* await ruled();
      page = [];
    }
    if (page.length > 0) yield* await ruled();
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

function wantedSite(
  domain: string,
  components: readonly string[],
  { id, username, suspended }: Account,
  { isSuspended = false, names = [], previews = [], php, bodyMib, pem, parts = {} }: SiteRule = {},
): Wanted {
  const scripts = { php: php ?? null, bodyMib: bodyMib ?? php?.bodyMib ?? null };
  const rules = { names, previews, ...scripts, certificate: pem ? secretFileName(pem, 'pem') : '', parts };
  const site = { domain, account: { id, username }, components, isSuspended: suspended || isSuspended, ...rules };
  return { site, ...(pem && { pem }) };
}
