import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type DomainDirectory,
  DomainValues,
  type DomainValue,
} from '../../kernel/contract/points/domain-directory.ts';
import type { ImportNotes } from '../../kernel/contract/archives/archive-part.ts';
import {
  findWebServer,
  MOST_BODY_MIB,
  SiteChanges,
  type SiteRule,
  type SiteRules,
} from '../../kernel/contract/points/web-server-part.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { readSettings } from './parse-settings.ts';
import type { NewSiteSettings, SiteSettingsEntry } from './schema.ts';
import type { KeptSettings } from './site-settings.ts';

const SITES = new DomainValues<KeptSettings>('site_settings');
const DEFAULTS: KeptSettings = { index: [], caching: [], headers: [], listsFolders: false, uploadMib: null };

/** Whose site is changed, as the client wrote its domain. */
export interface Subject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
}

/** Returns the largest upload that an account may allow. */
export const uploadBoundMib = ({ plan }: Account): number => plan?.limits['upload_limit_mib'] || MOST_BODY_MIB;

/** The settings by which sites are served: each change is served before it is stored, and stored only if it is served. */
export class SitesSettings {
  readonly #host: Host;
  readonly #domains: DomainDirectory;
  readonly #changes: SiteChanges<DomainValue<KeptSettings>>;

  constructor(host: Host) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#changes = new SiteChanges(host, 'settings');
  }

  /** Returns the settings of each domain of an account, by name. */
  async list(account: Account): Promise<SiteSettingsEntry[]> {
    const domains = await this.#domains.list(account);
    const ids = domains.map(({ id }) => id);
    const sites = await SITES.read(this.#host.store, ids);
    return domains.map(({ id, name }) => entry(name, sites.get(id)?.value ?? DEFAULTS));
  }

  /** Whether the web server can list folders without showing what links of customers lead to. */
  async offersListing(): Promise<boolean> {
    return (await findWebServer(this.#host))?.followsNoLinks === true;
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const served = this.#changes.served(domainIds, await SITES.read(this.#host.store, domainIds));
    const rules = new Map<number, SiteRule>();
    for (const [id, { accountId, value }] of served) {
      const { uploadMib, ...given } = value; // which may list folders where the web server lists none
      const account = await this.#host.identity.accounts.byId(accountId);
      if (account === undefined) continue;
      rules.set(id, {
        parts: { 'webserver-conf': given },
        ...(uploadMib !== null && { bodyMib: Math.min(uploadMib, uploadBoundMib(account)) }),
      });
    }
    return rules;
  }

  /**
   * Errors: 404 `domain_not_found`; 400 `invalid_site_settings`; 409 `folder_listing_not_offered`; any error of a provider of
   * `siteChanged`.
   */
  async set({ account, domain: given, ip }: Subject, body: NewSiteSettings): Promise<SiteSettingsEntry> {
    const { store, identity, events } = this.#host;
    const domain = await domainNamed(this.#domains, account, given);
    const changes = readSettings(body, uploadBoundMib(account));
    if (changes.listsFolders === true && !(await this.offersListing()))
      throw fail.folder_listing_not_offered('the web server would show what links in the folder lead to', {
        path: '/folder_listing',
      });
    const { id, name, docroot } = domain;
    return this.#changes.inTurn(domain, async () => {
      const before = (await SITES.read(store, [id])).get(id);
      const settings = { ...DEFAULTS, ...before?.value, ...changes };
      const wanted = { accountId: account.id, value: settings };
      await this.#changes.serve({ id, name, docroot, account }, wanted, async (tx) => {
        await identity.accounts.assertExists(tx, account);
        await SITES.put(tx, id, wanted);
        await events.record(tx, {
          ...{ type: 'site_settings.set', account, ip, text: `changed how ${name} is served` },
          data: { domain_url: name },
        });
      });
      return entry(name, settings);
    });
  }

  /** Sets of what came with an account as much as plan and web server allow. Errors: those of `set`. */
  async restore(subject: Subject, given: NewSiteSettings, { missing }: ImportNotes): Promise<SiteSettingsEntry> {
    const [boundMib, offersListing] = [uploadBoundMib(subject.account), await this.offersListing()];
    const { upload_mib: uploadMib = null, folder_listing: lists = false } = given;
    if (uploadMib !== null && uploadMib > boundMib)
      missing.push(`uploads of ${uploadMib} MiB to ${subject.domain}: the plan allows ${boundMib}`);
    if (lists && !offersListing) missing.push(`the folder listing of ${subject.domain}: the web server offers none`);
    const upload = uploadMib === null ? null : Math.min(uploadMib, boundMib);
    return this.set(subject, { ...given, upload_mib: upload, folder_listing: lists && offersListing });
  }

  /** Removes those of a removed domain. */
  forget(domainId: number): Promise<void> {
    return this.#host.store.write((tx) => SITES.remove(tx, domainId));
  }
}

function entry(domain: string, { index, caching, headers, listsFolders, uploadMib }: KeptSettings): SiteSettingsEntry {
  return {
    domain_url: domain,
    index_files: [...index],
    caching: caching.map((each) => ({ ...each })),
    headers: headers.map((each) => ({ ...each })),
    folder_listing: listsFolders,
    upload_mib: uploadMib,
  };
}
