import { randomInt } from 'node:crypto';
import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
} from '../../kernel/areas/sites/domain-directory.ts';
import { findWebServer, type SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { SiteChanges } from '../../kernel/areas/sites/site-changes.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Tx } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';
import type { TemporaryLinkEntry, TemporaryLinksConfig } from './schema.ts';
import { listExpired, listLinks, putLink, removeLink, type Link } from './store.ts';

const HOUR_MS = 3_600_000;
/** Enough that nobody guesses one: 103 bits. */
const NAME_LENGTH = 20;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** Expired links that are looked at in one go. */
const PAGE = 100;

/** Names below the operator's preview domain, at which sites answer for a while before their own names lead here. */
export class TemporaryLinks {
  readonly #host: Host<TemporaryLinksConfig>;
  readonly #domains: DomainDirectory;
  /** `null`: none is wanted. */
  readonly #changes: SiteChanges<Link | null>;

  constructor(host: Host<TemporaryLinksConfig>) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#changes = new SiteChanges(host, 'temporary link');
    if (this.isOffered) this.#domains.reserve?.(host.config.preview_domain);
  }

  get isOffered(): boolean {
    return this.#host.config.preview_domain !== '';
  }

  /** Returns the links of an account by domain. */
  async list(account: Account): Promise<TemporaryLinkEntry[]> {
    const domains = await this.#domains.list(account);
    const ids = domains.map(({ id }) => id);
    const links = new Map((await listLinks(this.#host.store, ids)).map((link) => [link.domainId, link]));
    const urlOf = await this.#urls();
    return domains.flatMap(({ id, name }) => {
      const link = links.get(id);
      return link === undefined || link.expiresAt <= Date.now() ? [] : [entry(name, link, urlOf)];
    });
  }

  /** Returns the names at which domains answer; of those that expired, none. */
  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const stored = new Map((await listLinks(this.#host.store, domainIds)).map((link) => [link.domainId, link]));
    return new Map(
      [...this.#changes.served(domainIds, stored)].flatMap(([id, link]): [number, { readonly previews: string[] }][] =>
        link !== null && link.expiresAt > Date.now() ? [[id, { previews: [link.name] }]] : [],
      ),
    );
  }

  /**
   * Makes a link in place of the one before, which is gone then. Errors: 404 `domain_not_found`; 409
   * `temporary_links_not_offered`; any error of a provider of `siteChanged`.
   */
  async make(account: Account, text: string, ip: string): Promise<TemporaryLinkEntry> {
    const { config, identity } = this.#host;
    const domain = await domainNamed(this.#domains, account, text);
    if (!this.isOffered) throw fail.temporary_links_not_offered('temporary-links.preview_domain is not set');
    const createdAt = Date.now();
    const expiresAt = createdAt + config.hours * HOUR_MS;
    const name = `${randomLabel()}.${config.preview_domain}`;
    const link = { domainId: domain.id, accountId: account.id, name, createdAt, expiresAt };
    await this.#serve(domain, account, link, async (tx) => {
      await identity.accounts.assertExists(tx, account);
      await putLink(tx, link);
      await this.#record(tx, 'made', account, domain.name, ip);
    });
    return entry(domain.name, link, await this.#urls());
  }

  /** Errors: 404 `domain_not_found`, `temporary_link_not_found`; any error of a provider of `siteChanged`, and then it stays. */
  async remove(account: Account, text: string, ip: string): Promise<string> {
    const domain = await domainNamed(this.#domains, account, text);
    const none = () => fail.temporary_link_not_found('the domain has no temporary link');
    if ((await listLinks(this.#host.store, [domain.id])).length === 0) throw none();
    await this.#serve(domain, account, null, async (tx) => {
      if (!(await removeLink(tx, domain.id))) throw none();
      await this.#record(tx, 'removed', account, domain.name, ip);
    });
    return domain.name;
  }

  /** Removes the links of this node's accounts that have expired. Rejects with the first failure once all were tried. */
  async removeExpired(): Promise<void> {
    const { store, identity } = this.#host;
    const failures: unknown[] = [];
    for (const link of await listExpired(store, Date.now(), PAGE)) {
      const account = await identity.accounts.byId(link.accountId);
      if (account === undefined || !identity.accounts.isHere(account)) continue;
      await this.#expire(link, account).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Removes that of a removed domain. */
  forget(domainId: number): Promise<unknown> {
    return this.#changes.forget(domainId, (tx) => removeLink(tx, domainId));
  }

  async #expire({ domainId, name }: Link, account: Account): Promise<unknown> {
    const domain = (await this.#domains.list(account)).find(({ id }) => id === domainId);
    if (domain === undefined) return this.forget(domainId);
    return this.#changes.inTurn(domain, async () => {
      const [link] = await listLinks(this.#host.store, [domainId]);
      if (link?.name !== name) return; // made anew meanwhile
      await this.#changes.serve({ ...domain, account }, null, async (tx) => {
        if (!(await removeLink(tx, domainId))) return;
        await this.#record(tx, 'expired', account, domain.name, '');
      });
    });
  }

  #serve(domain: Domain, account: Account, link: Link | null, store: (tx: Tx) => Promise<void>): Promise<void> {
    return this.#changes.inTurn(domain, () => this.#changes.serve({ ...domain, account }, link, store));
  }

  /** Resolves with a function that returns the URL of a host name. */
  async #urls(): Promise<(name: string) => string> {
    const webServer = await findWebServer(this.#host);
    const port = webServer === undefined || webServer.port === 80 ? '' : `:${webServer.port}`;
    return (name) => `http://${name}${port}/`;
  }

  #record(tx: Tx, what: 'made' | 'removed' | 'expired', account: Account, domain: string, ip: string): Promise<void> {
    return this.#host.events.record(tx, {
      type: `temporary_link.${what}`,
      account,
      text:
        what === 'expired'
          ? `removed the expired temporary link to ${domain}`
          : `${what} a temporary link to ${domain}`,
      ip,
      isNoticed: what === 'expired',
      data: { domain_url: domain },
    });
  }
}

const randomLabel = () =>
  Array.from({ length: NAME_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

function entry(
  domain: string,
  { name, createdAt, expiresAt }: Link,
  urlOf: (name: string) => string,
): TemporaryLinkEntry {
  const [created_at, expires_at] = [new Date(createdAt).toISOString(), new Date(expiresAt).toISOString()];
  return { domain_url: domain, url: urlOf(name), created_at, expires_at };
}
