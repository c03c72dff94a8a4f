import type { Host } from '../../kernel/contract/plugin.ts';
import type { ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import {
  findWebServer,
  MOST_BODY_MIB,
  type SiteRule,
  type SiteRules,
} from '../../kernel/contract/points/web-server-part.ts';
import { type NamedValue, SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { readSettings } from './parse-settings.ts';
import type { NewSiteSettings, SiteSettingsEntry } from './schema.ts';
import type { KeptSettings } from './site-settings.ts';

const INITIAL: KeptSettings = { index: [], caching: [], headers: [], listsFolders: false, uploadMib: null };

/** Returns the largest upload that an account may allow. */
export const uploadBoundMib = ({ plan }: Account): number => plan?.limits['upload_limit_mib'] || MOST_BODY_MIB;

/** The settings by which sites are served. */
export class SitesSettings {
  readonly #host: Host;
  readonly #sites: SiteValues<KeptSettings>;

  constructor(host: Host) {
    this.#host = host;
    this.#sites = new SiteValues(host, { table: 'site_settings', name: 'settings', initial: INITIAL });
  }

  /** Returns the settings of each domain of an account, by name. */
  async list(account: Account): Promise<SiteSettingsEntry[]> {
    return (await this.#sites.list(account)).map(entry);
  }

  /** Whether the web server can list folders without showing what links of customers lead to. */
  async offersListing(): Promise<boolean> {
    return (await findWebServer(this.#host))?.followsNoLinks === true;
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const rules = new Map<number, SiteRule>();
    for (const [id, { accountId, value }] of await this.#sites.served(domainIds)) {
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
  async set(subject: SiteSubject, body: NewSiteSettings): Promise<SiteSettingsEntry> {
    const domain = await this.#sites.domain(subject);
    const changes = readSettings(body, uploadBoundMib(subject.account));
    if (changes.listsFolders === true && !(await this.offersListing()))
      throw fail.folder_listing_not_offered('the web server would show what links in the folder lead to', {
        path: '/folder_listing',
      });
    const change = (settings: KeptSettings) => ({ ...settings, ...changes });
    const changed = await this.#sites.change(subject, domain, change, (by, domain_url) => ({
      ...by,
      type: 'site_settings.set',
      text: `changed how ${domain_url} is served`,
      data: { domain_url },
    }));
    return entry(changed);
  }

  /** Sets of what came with an account as much as plan and web server allow. Errors: those of `set`. */
  async restore(subject: SiteSubject, given: NewSiteSettings, { missing }: ImportNotes): Promise<SiteSettingsEntry> {
    const [boundMib, offersListing] = [uploadBoundMib(subject.account), await this.offersListing()];
    const { upload_mib: uploadMib = null, folder_listing: lists = false } = given;
    if (uploadMib !== null && uploadMib > boundMib)
      missing.push(`uploads of ${uploadMib} MiB to ${subject.domain}: the plan allows ${boundMib}`);
    if (lists && !offersListing) missing.push(`the folder listing of ${subject.domain}: the web server offers none`);
    const upload = uploadMib === null ? null : Math.min(uploadMib, boundMib);
    return this.set(subject, { ...given, upload_mib: upload, folder_listing: lists && offersListing });
  }
}

function entry({ domain, value }: NamedValue<KeptSettings>): SiteSettingsEntry {
  const { index, caching, headers, listsFolders, uploadMib } = value;
  return {
    domain_url: domain,
    index_files: [...index],
    caching: caching.map((each) => ({ ...each })),
    headers: headers.map((each) => ({ ...each })),
    folder_listing: listsFolders,
    upload_mib: uploadMib,
  };
}
