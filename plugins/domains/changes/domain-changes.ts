import { domainToUnicode } from 'node:url';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { domainNamed, wwwName } from '../../../kernel/areas/sites/domain-directory.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import { MOST_NAMES, type SiteRule, type SiteRules } from '../../../kernel/contract/points/web-server-part.ts';
import { SiteChanges } from '../../../kernel/areas/sites/site-changes.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { EventInput } from '../../../kernel/store/events/audit-log.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import { insertAlias, removeAlias, takenAmong } from '../names/alias-store.ts';
import { assertNotAbove, CREATE_DOCROOT, docrootComponents, domainPart } from '../docroots/docroot.ts';
import { fail } from '../errors.ts';
import { parseDomain } from '../names/name.ts';
import { assertNameFree, type NewNames } from '../names/new-names.ts';
import type { DomainsConfig } from '../schema.ts';
import * as rows from '../store.ts';
import type { DomainViews } from '../views.ts';
import type { Subject } from './subject.ts';
import { wwwSite } from './www-site.ts';

const none = () => fail.domain_not_found('the account has no domain of this name');

/** Changes domains that there are. What is served is served before it is stored, and stored only if it is served. */
export class DomainChanges {
  readonly #host: Host<DomainsConfig>;
  readonly #views: DomainViews;
  readonly #changes: SiteChanges<rows.ListedRow>;
  readonly #names: NewNames;
  /** Names that become aliases: no site has them as its `www.`. */
  readonly #given = new Set<string>();

  constructor(host: Host<DomainsConfig>, views: DomainViews, names: NewNames) {
    this.#host = host;
    this.#views = views;
    this.#changes = new SiteChanges(host, 'domain');
    this.#names = names;
  }

  /** Returns by which rules domains are served. */
  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const { store } = this.#host;
    const served = this.#changes.served(domainIds, await rows.servedRows(store, domainIds));
    const wanted = [...served.values()].flatMap(({ name }) => wwwName(name) ?? []);
    const taken = await takenAmong(store, wanted);
    const namesAt = ({ name, aliases }: rows.ListedRow) => {
      const www = wwwName(name);
      const isFree = www !== undefined && !aliases.includes(www) && !taken.has(www) && !this.#given.has(www);
      return isFree ? [www, ...aliases] : aliases;
    };
    return new Map(
      [...served].map(([id, row]): [number, SiteRule] => [
        id,
        { names: namesAt(row), ...((row.suspended_at ?? row.held_at) !== null && { isSuspended: true }) },
      ]),
    );
  }

  /** Errors: 404 `domain_not_found`; any error of a provider of `siteChanged`. */
  setSuspended(subject: Subject, isSuspended: boolean): Promise<rows.ListedRow> {
    return this.#setSince(subject, 'suspended_at', isSuspended, (row) => ({
      ...about(subject, row),
      type: isSuspended ? 'domain.suspended' : 'domain.unsuspended',
      text: `${isSuspended ? 'suspended' : 'lifted the suspension of'} the domain ${row.name}`,
    }));
  }

  /** The same for an administrator, whose suspension the owner cannot lift. Errors: those of `setSuspended`. */
  setHeld(subject: Required<Subject>, isHeld: boolean): Promise<rows.ListedRow> {
    const { by } = subject;
    return this.#setSince(subject, 'held_at', isHeld, (row) => {
      const { data, ...more } = about(subject, row);
      return {
        ...more,
        type: isHeld ? 'domain.held' : 'domain.released',
        text: `had the ${isHeld ? `domain ${row.name} suspended` : `suspension of the domain ${row.name} lifted`} by the administrator '${by}'`,
        data: { ...data, by },
      };
    });
  }

  /** Keeps since when it is so, or that it is not, if that is new; `tell` returns what is told of it. */
  #setSince(
    subject: Subject,
    since: 'suspended_at' | 'held_at',
    isSo: boolean,
    tell: (row: rows.ListedRow) => EventInput,
  ): Promise<rows.ListedRow> {
    return this.#inTurn(subject, async (before) => {
      if ((before[since] !== null) === isSo) return before;
      const after = { ...before, [since]: isSo ? Date.now() : null };
      return this.#changes.serve(this.#part(subject, before), after, (tx) => this.#put(tx, after, tell(after)));
    });
  }

  /**
   * Serves a domain from another folder, which it creates if that is missing. Errors: 404 `domain_not_found`; 400
   * `invalid_docroot`; any error of a provider of `siteChanged`.
   */
  setDocroot(subject: Subject, given: string): Promise<rows.ListedRow> {
    const { store, jobs, node } = this.#host;
    const { account } = subject;
    const components = docrootComponents(given, node.config.virtual_root);
    const assertFits = async (reader: Reader) =>
      assertNotAbove(components, ((await rows.countDomains(reader, [account.id])).get(account.id)?.names ?? 0) - 1);
    return this.#inTurn(subject, async (before) => {
      const after = { ...before, docroot: components.join('/') };
      if (after.docroot === before.docroot) return before;
      await assertFits(store);
      await jobs.run(CREATE_DOCROOT, account, components, { makesRoot: true });
      const part = this.#part(subject, after);
      const { docroot } = part;
      const keep = async (tx: Tx) => {
        await assertFits(tx);
        const { data, ...more } = about(subject, after);
        return this.#put(tx, after, {
          ...more,
          type: 'domain.docroot_set',
          text: `changed the document root of ${after.name} to ${docroot}`,
          data: { ...data, docroot },
        });
      };
      return this.#changes.serve(part, after, keep, this.#part(subject, before));
    });
  }

  /** Keeps in which case the owner writes the name. Errors: 404 `domain_not_found`; 400 `invalid_domain` for another name. */
  setSpelling(subject: Subject, shownAs: string): Promise<rows.ListedRow> {
    return this.#inTurn(subject, async (before) => {
      const own = domainToUnicode(before.name);
      if (![own, before.name].includes(shownAs.normalize('NFC').toLowerCase()))
        throw fail.invalid_domain(`only the case of ${own} can be chosen`, { path: '/shown_as' });
      const after = { ...before, shown_as: shownAs === own ? '' : shownAs };
      if (after.shown_as === before.shown_as) return before;
      const text = `chose to write ${after.name} as ${shownAs}`;
      return this.#host.store.write((tx) =>
        this.#put(tx, after, { ...about(subject, after), type: 'domain.spelling_set', text }),
      );
    });
  }

  /**
   * Has the site of a domain answer at a further name. Errors: 404 `domain_not_found`; 400 `invalid_domain`; 409
   * `domain_exists`, `names_limit_reached`, `aliases_limit_reached`; any error of a provider of `siteChanged`.
   */
  addAlias(subject: Subject, given: string): Promise<rows.ListedRow> {
    const { store } = this.#host;
    const { account } = subject;
    const alias = this.#names.read(given, { path: '/alias' });
    const assertFree = async (reader: Reader) =>
      assertNameFree(account, alias, await rows.nameStatus(reader, account.id, alias));
    return this.#inTurn(subject, async (before) => {
      await assertFree(store);
      if (before.aliases.length >= MOST_NAMES)
        throw fail.aliases_limit_reached(`a domain can have ${MOST_NAMES} further names`);
      return this.#givingName(subject, alias, () =>
        this.#serveAliases(subject, before, [...before.aliases, alias].toSorted(), 'added', alias, async (tx) => {
          await assertFree(tx);
          await insertAlias(tx, before, alias);
        }),
      );
    });
  }

  /** Errors: 404 `alias_not_found`; any error of a provider of `siteChanged`, and then it stays. */
  async removeAlias(account: Account, given: string, ip: string): Promise<rows.ListedRow> {
    const { name: alias = '' } = parseDomain(given);
    const missing = () => fail.alias_not_found('the account has no alias of this name');
    const found = (await rows.listDomains(this.#host.store, account.id)).find(({ aliases }) => aliases.includes(alias));
    if (found === undefined) throw missing();
    const subject = { account, domain: found.name, ip };
    return this.#inTurn(subject, async (before) => {
      const others = before.aliases.filter((each) => each !== alias);
      const after = await this.#serveAliases(subject, before, others, 'removed', alias, async (tx) => {
        if (!(await removeAlias(tx, before.id, alias))) throw missing();
      });
      const serveOther = await wwwSite(this.#host, account, alias);
      await serveOther();
      return after;
    });
  }

  async #givingName<T>({ account }: Subject, name: string, give: () => Promise<T>): Promise<T> {
    const serveOther = await wwwSite(this.#host, account, name);
    this.#given.add(name);
    try {
      for (const each of await serveOther()) if (!each.ok) throw each.error;
      return await give();
    } finally {
      this.#given.delete(name);
      await serveOther();
    }
  }

  #serveAliases(
    subject: Subject,
    before: rows.ListedRow,
    aliases: readonly string[],
    what: 'added' | 'removed',
    alias: string,
    store: (tx: Tx) => Promise<void>,
  ): Promise<rows.ListedRow> {
    const after = { ...before, aliases };
    return this.#changes.serve(this.#part(subject, before), after, async (tx) => {
      await store(tx);
      const { data, ...more } = about(subject, after);
      return this.#put(tx, after, {
        ...more,
        type: `domain.alias_${what}`,
        text: `${what} the alias ${alias} of ${after.name}`,
        data: { ...data, alias },
      });
    });
  }

  async #inTurn<R>({ account, domain }: Subject, change: (before: rows.ListedRow) => Promise<R>): Promise<R> {
    const found = await domainNamed(this.#views, account, domain);
    return this.#changes.inTurn(found, async () => {
      const row = await rows.find(this.#host.store, found.name);
      if (row?.id !== found.id) throw none();
      return change(row);
    });
  }

  #part({ account }: Subject, row: rows.DomainRow): DomainPart {
    return domainPart(row, account, this.#host.node.config.virtual_root);
  }

  async #put(tx: Tx, row: rows.ListedRow, event: EventInput): Promise<rows.ListedRow> {
    if (!(await rows.update(tx, row))) throw none();
    tx.afterCommit(() => this.#views.invalidate(row.account_id));
    await this.#host.events.record(tx, event);
    return row;
  }
}

function about({ account, ip }: Subject, { id, name }: rows.DomainRow) {
  return { account, ip, data: { domain_id: id, domain_url: name } };
}
