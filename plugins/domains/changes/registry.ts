import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import type { NodeInfo } from '../../../kernel/contract/node-info.ts';
import type { Gathered } from '../../../kernel/contract/extension-points.ts';
import { fail as refuse } from '../../../kernel/errors.ts';
import { PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import type { Tx } from '../../../kernel/store/store.ts';
import { assertNotAbove, CREATE_DOCROOT, docrootComponents, domainPart } from '../docroots/docroot.ts';
import { parseDomain } from '../names/name.ts';
import { assertNameFree, NewNames } from '../names/new-names.ts';
import type { DomainsConfig } from '../schema.ts';
import * as rows from '../store.ts';
import { fail } from '../errors.ts';
import type { Subject } from './subject.ts';
import { wwwSite } from './www-site.ts';

const AT_NAME = { path: '/domain_url' };
/** How many subdomains the text of an error names. */
const NAMED = 5;

type Point = 'domainAdded' | 'domainRemoved';
/** The parts of a server that it needs, which a command beside one has, too. */
type Surroundings = Pick<Host<DomainsConfig>, 'config' | 'store' | 'events' | 'identity' | 'jobs' | 'gather'> & {
  readonly node: NodeInfo;
};

/** Adds and removes domains: checks names and limits, and coordinates each change with the providers of its point. */
export class DomainRegistry {
  readonly #host: Surroundings;
  readonly #names: NewNames;
  /** Called after each commit that changes an account's domains. */
  readonly #changed: (accountId: number) => void;

  constructor(host: Surroundings, changed: (accountId: number) => void, names = new NewNames(host)) {
    this.#host = host;
    this.#changed = changed;
    this.#names = names;
  }

  /**
   * Adds a domain and creates its document root; with `isSuspended`, it is not served yet. Errors: those of `assertChangeable`;
   * 400 `invalid_domain`, `invalid_docroot`; 409 `domain_exists`, `domain_limit_reached`, `names_limit_reached`; any error of
   * a provider of `domainAdded`.
   */
  async add(
    subject: Subject,
    docroot?: string,
    { isSuspended = false }: { readonly isSuspended?: boolean } = {},
  ): Promise<rows.ListedRow> {
    const { account } = subject;
    this.#assertChangeable(account);
    const name = this.#names.read(subject.domain, AT_NAME);
    const components = docrootComponents(docroot ?? name, this.#host.node.config.virtual_root);
    // First without a transaction, so that a refused name leaves no folder behind.
    assertFree(account, name, components, await rows.nameStatus(this.#host.store, account.id, name));
    await this.#host.jobs.run(CREATE_DOCROOT, account, components, { makesRoot: true });
    const isDirect = !this.#isProvided('domainAdded');
    const row = {
      ...{ account_id: account.id, name, docroot: components.join('/'), created_at: Date.now() },
      ...{ suspended_at: isSuspended ? Date.now() : null, held_at: null, shown_as: '' },
    };
    const id = await this.#host.store.write(async (tx) => {
      const status = await rows.nameStatus(tx, account.id, name);
      assertFree(account, name, components, status);
      const inserted = await rows.insert(
        tx,
        { ...row, state: isDirect ? 'active' : 'adding', claimed_by: isDirect ? '' : PROCESS_ID },
        status,
      );
      if (isDirect) await this.#record(tx, 'added', subject, { id: inserted, ...row });
      return inserted;
    });
    if (!isDirect) await this.#completeAddition(subject, { id, ...row });
    return { id, ...row, aliases: [] };
  }

  /**
   * Removes a domain but not its files; its subdomains only `withSubdomains`, because without their parent they would
   * count. Errors: those of `assertChangeable`; 404 `domain_not_found`; 409 `domain_has_subdomains`, `domain_held`; any error of a
   * provider of `domainRemoved`, and then all of them stay.
   */
  async remove(subject: Subject, withSubdomains: boolean): Promise<string> {
    const { account } = subject;
    this.#assertChangeable(account);
    const { name = '' } = parseDomain(subject.domain);
    const isDirect = !this.#isProvided('domainRemoved');
    const removed = await this.#host.store.write(async (tx) => {
      const found = await rows.find(tx, name);
      if (found === undefined || found.account_id !== account.id)
        throw fail.domain_not_found('the account has no domain of this name');
      const below = await rows.readSubdomains(tx, found);
      assertRemovable(name, below, withSubdomains);
      for (const row of [...below, found])
        if (row.held_at !== null) throw fail.domain_held(`${row.name} stays until that suspension is lifted`);
      for (const row of [...below, found])
        if (isDirect) await this.#finishRemoval(tx, subject, row, 'active');
        else await rows.claimForRemoval(tx, row.id, PROCESS_ID);
      tx.afterCommit(() => this.#changed(account.id));
      return [...below, found];
    });
    if (!isDirect) await this.#completeRemoval(subject, removed);
    return name;
  }

  /**
   * Removes the domains whose change was interrupted by the end of its process, and returns their number. An addition
   * was never acknowledged; a removal was requested and is partly done: so both are removed. Providers are set up later
   * and compare their own state with the remaining domains.
   */
  async recoverInterrupted(): Promise<number> {
    const { store, identity } = this.#host;
    const interrupted = await rows.interruptedRows(store);
    let recovered = 0;
    for (const row of interrupted) {
      const account = await identity.accounts.byId(row.account_id);
      // its claim names a process of another node
      if (account !== undefined && !identity.accounts.isHere(account)) continue;
      recovered += 1;
      await store.write(async (tx) => {
        if (account !== undefined && row.state === 'removing')
          await this.#finishRemoval(tx, { account, domain: row.name, ip: '' }, row, row.state);
        else await rows.remove(tx, row, row.state);
      });
    }
    return recovered;
  }

  /** The row reserves the name until all providers accept; it then becomes active, or is deleted. */
  async #completeAddition(subject: Subject, row: rows.DomainRow): Promise<void> {
    const { account } = subject;
    const part = this.#part(account, row);
    const serveOther = await wwwSite(this.#host, account, row.name);
    await this.#host.gather('domainAdding', part);
    const refusal = firstFailure(await serveOther()) ?? firstFailure(await this.#host.gather('domainAdded', part));
    if (refusal !== undefined) {
      await this.#host.gather('domainRemoved', part);
      await this.#host.store.write((tx) => rows.remove(tx, row, 'adding'));
      await serveOther();
      throw refusal;
    }
    const isAdded = await this.#host.store.write(async (tx) => {
      const isActive = await rows.activate(tx, row, 'adding');
      if (isActive) await this.#record(tx, 'added', subject, row);
      return isActive;
    });
    if (!isAdded) await this.#host.gather('domainRemoved', part);
    await serveOther();
    if (isAdded) return;
    throw new Error(`the account of ${row.name} was removed while the domain was being added`);
  }

  async #completeRemoval(subject: Subject, removed: readonly rows.DomainRow[]): Promise<void> {
    const { account } = subject;
    const gatherAll = async (point: Point) =>
      (await Promise.all(removed.map((row) => this.#host.gather(point, this.#part(account, row))))).flat();
    const refusal = firstFailure(await gatherAll('domainRemoved'));
    if (refusal !== undefined) {
      await gatherAll('domainAdded');
      await this.#host.store.write(async (tx) => {
        for (const row of removed) await rows.activate(tx, row, 'removing');
        tx.afterCommit(() => this.#changed(account.id));
      });
      throw refusal;
    }
    await this.#host.store.write(async (tx) => {
      for (const row of removed) await this.#finishRemoval(tx, subject, row, 'removing');
    });
    for (const { name } of removed) await (await wwwSite(this.#host, account, name))();
  }

  async #finishRemoval(tx: Tx, subject: Subject, row: rows.DomainRow, from: rows.DomainState): Promise<void> {
    if (await rows.remove(tx, row, from)) await this.#record(tx, 'removed', subject, row);
  }

  async #record(tx: Tx, what: 'added' | 'removed', subject: Subject, row: rows.DomainRow): Promise<void> {
    const { account, ip, by } = subject;
    tx.afterCommit(() => this.#changed(account.id));
    const text =
      by === undefined
        ? `${what} the domain ${row.name}`
        : `had the domain ${row.name} ${what} by the administrator '${by}'`;
    const data = { domain_id: row.id, domain_url: row.name, ...(by !== undefined && { by }) };
    await this.#host.events.record(tx, { type: `domain.${what}`, account, text, ip, data });
  }

  /** The gate asks this of customers; others name an account. Errors: 404 `account_not_found`, 409 `other_node`, 503 `account_moving`. */
  #assertChangeable(account: Account): void {
    if (account.role === 'admin')
      throw refuse.account_not_found(`${account.username} is an administrator, who has no domains`);
    this.#host.identity.accounts.assertChangeable(account);
  }

  #isProvided(point: Point): boolean {
    return this.#host.node.plugins().some(({ provides }) => provides.includes(point));
  }

  #part(account: Account, row: rows.DomainRow): DomainPart {
    return domainPart(row, account, this.#host.node.config.virtual_root);
  }
}

function assertFree(account: Account, name: string, docroot: readonly string[], status: rows.NameStatus): void {
  const { isSub, mains, mainsBelow } = status;
  assertNameFree(account, name, status);
  const limit = account.plan?.limits['domains_limit'] ?? 0;
  if (limit > 0 && !isSub && mains - mainsBelow >= limit)
    throw fail.domain_limit_reached(`the plan allows ${limit} domain${limit === 1 ? '' : 's'}`);
  assertNotAbove(docroot, mains);
}

function assertRemovable(name: string, below: readonly rows.DomainRowInState[], withSubdomains: boolean): void {
  const busy = below.filter(({ state }) => state !== 'active');
  if (below.length === 0 || (withSubdomains && busy.length === 0)) return;
  const subdomains = (withSubdomains ? busy : below).map((each) => each.name).toSorted();
  const first = subdomains.slice(0, NAMED);
  const others = subdomains.length - first.length;
  const named = new Intl.ListFormat('en-GB').format(others === 0 ? first : [...first, `${others} more`]);
  throw fail.domain_has_subdomains(
    withSubdomains
      ? `${name} cannot be removed while these are being added or removed: ${named}`
      : `${name} has subdomains: ${named}; remove them first, or with it (with_subdomains)`,
    { members: { subdomains } },
  );
}

function firstFailure(answers: readonly Gathered<Point | 'siteChanged'>[]): unknown {
  return answers.find((answer) => !answer.ok)?.error;
}
