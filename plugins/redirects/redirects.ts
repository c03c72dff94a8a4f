import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { domainNamed, NO_DOMAINS, siteNames, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import { MOST_REDIRECTS, type SiteRedirect } from '../../kernel/contract/points/web-server-part.ts';
import { SiteChanges } from '../../kernel/areas/sites/site-changes.ts';
import type { Tx } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';
import { isCircular, parseRedirect } from './parse-redirect.ts';
import type { NewRedirect } from './schema.ts';
import * as rows from './store.ts';

/** A redirect with its domain's name. */
export type Named = rows.Redirect & { readonly domain: string };

/** Adds and removes redirects: each is served before it is stored, and stored only if it is served. */
export class Redirects {
  readonly #host: Host;
  readonly #domains: DomainDirectory;
  readonly #changes: SiteChanges<readonly SiteRedirect[]>;

  constructor(host: Host) {
    this.#host = host;
    this.#changes = new SiteChanges(host, 'redirects');
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  }

  /** Returns the redirects of an account by domain and path. */
  async list(account: Account): Promise<Named[]> {
    const names = new Map((await this.#domains.list(account)).map(({ id, name }) => [id, name]));
    const all = await rows.listRedirects(this.#host.store, [...names.keys()]);
    const named = all.map((each) => ({ ...each, domain: names.get(each.domainId) ?? '' }));
    return named.toSorted((a, b) => (a.domain === b.domain ? 0 : a.domain < b.domain ? -1 : 1));
  }

  /** Returns those by which domains are served, by the domain's id. */
  async rules(domainIds: readonly number[]): Promise<Map<number, readonly SiteRedirect[]>> {
    const stored = new Map<number, readonly SiteRedirect[]>();
    for (const each of await rows.listRedirects(this.#host.store, domainIds))
      stored.set(each.domainId, [...(stored.get(each.domainId) ?? []), siteRedirect(each)]);
    return this.#changes.served(domainIds, stored);
  }

  /**
   * Adds a redirect; `replaces`: in the place of one from the same path. Errors: 404 `domain_not_found`; 400 `invalid_redirect`; 409
   * `redirect_exists`, `redirects_limit_reached`; any error of a provider of `siteChanged`.
   */
  async add(account: Account, body: NewRedirect, ip: string, replaces = false): Promise<Named> {
    const domain = await domainNamed(this.#domains, account, body.domain_url, { path: '/domain_url' });
    const names = siteNames(domain, await this.#domains.list(account));
    const redirect = { ...parseRedirect(body), domainId: domain.id, createdAt: Date.now() };
    const isOther = ({ from }: SiteRedirect) => !replaces || from !== redirect.from;
    return this.#changes.inTurn(domain, async () => {
      const before = (await rows.listRedirects(this.#host.store, [domain.id])).filter(isOther);
      assertFits(account, names, before, redirect);
      const id = await this.#changes.serve(
        { ...domain, account },
        [...before, redirect].map(siteRedirect),
        async (tx) => {
          const there = await rows.listRedirects(tx, [domain.id]);
          assertFits(account, names, there.filter(isOther), redirect);
          for (const replaced of there.filter((each) => !isOther(each))) {
            await rows.removeRedirect(tx, account.id, replaced.id);
            await this.#record(tx, 'removed', account, { ...replaced, domain: domain.name }, ip);
          }
          const inserted = await rows.insertRedirect(tx, account.id, redirect);
          await this.#record(tx, 'added', account, { id: inserted, domain: domain.name, ...redirect }, ip);
          return inserted;
        },
      );
      return { id, domain: domain.name, ...redirect };
    });
  }

  /** Errors: 404 `redirect_not_found`; any error of a provider of `siteChanged`, and then it stays. */
  async remove(account: Account, id: number, ip: string): Promise<void> {
    const none = () => fail.redirect_not_found('the account has no redirect with this id');
    const found = (await this.list(account)).find((each) => each.id === id);
    const domain = (await this.#domains.list(account)).find((each) => each.id === found?.domainId);
    if (found === undefined || domain === undefined) throw none();
    await this.#changes.inTurn(domain, async () => {
      const before = await rows.listRedirects(this.#host.store, [domain.id]);
      const others = before.filter((each) => each.id !== id);
      if (others.length === before.length) throw none();
      await this.#changes.serve({ ...domain, account }, others.map(siteRedirect), async (tx) => {
        if (!(await rows.removeRedirect(tx, account.id, id))) throw none();
        await this.#record(tx, 'removed', account, found, ip);
      });
    });
  }

  /** Removes those of a removed domain. */
  forget(domainId: number): Promise<unknown> {
    return this.#changes.forget(domainId, (tx) => rows.removeRedirectsOfDomain(tx, domainId));
  }

  #record(tx: Tx, what: 'added' | 'removed', account: Account, redirect: Named, ip: string): Promise<void> {
    const { id, domain, from, to } = redirect;
    return this.#host.events.record(tx, {
      type: `redirect.${what}`,
      account,
      text: `${what} the redirect from ${domain}${from} to ${to}`,
      ip,
      data: { redirect_id: id, domain_url: domain, path: from, target: to },
    });
  }
}

function siteRedirect({ from, isPrefix, to, status, keepsPath, keepsQuery }: SiteRedirect): SiteRedirect {
  return { from, isPrefix, to, status, keepsPath, keepsQuery };
}

function assertFits(
  { plan }: Account,
  names: readonly string[],
  others: readonly SiteRedirect[],
  redirect: SiteRedirect,
): void {
  if (others.some(({ from }) => from === redirect.from))
    throw fail.redirect_exists(`${names[0]}${redirect.from} is redirected already; remove that redirect first`);
  const limit = plan?.limits['redirects_limit'] || MOST_REDIRECTS;
  if (others.length >= limit)
    throw fail.redirects_limit_reached(`a domain can have ${limit} redirect${limit === 1 ? '' : 's'}`);
  if (isCircular(redirect, others, names))
    throw fail.invalid_redirect('the redirect would lead back to itself', { path: '/target' });
}
