import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import type { Host } from '../../kernel/contract/plugin.ts';
import { domainNamed, hasDomain, NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import {
  findWebServer,
  type SiteRule,
  type SiteRules,
  type WebServerPart,
} from '../../kernel/contract/points/web-server-part.ts';
import { SiteChanges } from '../../kernel/areas/sites/site-changes.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { EventInput } from '../../kernel/store/events/audit-log.ts';
import { formatWait } from '../../kernel/kit/format.ts';
import { certificateEntry, isBetter, isCertified, renewalTime, tellCertificate } from './certificate-entry.ts';
import { checkCertificate, isSelfSigned, splitPem, Unusable, type Certificate } from './check-certificate.ts';
import { fail } from './errors.ts';
import { OwnKeys } from './keys.ts';
import { issue, type Subject } from './issuing/order-notes.ts';
import type {
  CertificateEntry,
  CertificateList,
  CertificatesConfig,
  CertificateSettings,
  KeptCertificate,
  OwnCertificate,
} from './schema.ts';
import type { SiteTls } from './site-directives.ts';
import { newTls, NO_CERTIFICATE, readOne, readTls, removeTls, writeTls, type DomainTls } from './store.ts';

/** Of an event that is recorded with a change. */
type Told = Omit<EventInput, 'account'>;

/** How soon a certificate may be followed by another without need: authorities issue a few a week for the same names. */
const FRESH_MS = 48 * 3_600_000;

const siteAuthority = ({ directory, contact, ca_file: file }: CertificatesConfig): SiteTls['authority'] =>
  directory === '' ? null : { directory, contact, caFile: file && resolve(file) };

/** The certificates of domains: each change is served before it is stored, and stored only if it is served. */
export class Certificates {
  readonly #host: Host<CertificatesConfig>;
  readonly #changes: SiteChanges<DomainTls>;
  readonly domains: DomainDirectory;
  readonly keys: OwnKeys;

  constructor(host: Host<CertificatesConfig>) {
    this.#host = host;
    this.#changes = new SiteChanges(host, 'certificate');
    this.domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.keys = new OwnKeys(host);
  }

  /** Whether certificates are ordered for an account. */
  orders({ features }: Account): boolean {
    return this.#host.config.directory !== '' && features.has('ssl');
  }

  /** Whether a domain is still one of its account. */
  has({ domain, account }: Subject): Promise<boolean> {
    return hasDomain(this.domains, account, domain);
  }

  webServer(): Promise<WebServerPart | undefined> {
    return findWebServer(this.#host);
  }

  /** Returns the state of each domain of an account, by name. */
  async list(account: Account): Promise<CertificateList> {
    const domains = await this.domains.list(account);
    const ids = domains.map(({ id }) => id);
    const [rows, webServer] = await Promise.all([readTls(this.#host.store, ids), this.webServer()]);
    const surroundings = this.#surroundings(account, webServer);
    return {
      certificates: domains.map(({ id, name }) =>
        certificateEntry(name, rows.get(id) ?? newTls(id, account.id), surroundings),
      ),
      is_issuing: surroundings.isIssuing && webServer?.certifies !== true,
    };
  }

  /** Returns the certificates that there are, with their keys. */
  async kept(account: Account): Promise<(KeptCertificate & { readonly domain_url: string })[]> {
    const domains = await this.domains.list(account);
    const ids = domains.map(({ id }) => id);
    const rows = await readTls(this.#host.store, ids);
    return domains.flatMap(({ id, name }) => {
      const { sealed, isOwn, forcesHttps, hasHsts } = rows.get(id) ?? newTls(id, account.id);
      if (sealed === undefined) return [];
      const [private_key, certificate] = splitPem(this.#unseal(sealed, id));
      const settings = { is_own: isOwn, force_https: forcesHttps, hsts: hasHsts };
      return [{ domain_url: name, certificate, private_key, ...settings }];
    });
  }

  /**
   * Serves and stores one that came with its account, or from a backup, unless a better one is there; its settings in either case. Errors:
   * those of `upload`.
   */
  async restore(account: Account, name: string, kept: KeptCertificate): Promise<CertificateEntry> {
    const domain = await domainNamed(this.domains, account, name);
    const { is_own: isOwn, force_https: forcesHttps, hsts } = kept;
    if (isBetter(await readOne(this.#host.store, domain), kept))
      return this.#change({ domain, account }, undefined, (tls) => ({
        ...tls,
        ...{ forcesHttps, hasHsts: forcesHttps && hsts && !this.#isSelfSigned(tls) },
      }));
    const certificate = usable(kept, domain.name);
    return this.#change({ domain, account }, undefined, (tls) => ({
      ...tls,
      ...this.#stored(certificate, domain.id),
      ...{ isOwn, forcesHttps, hasHsts: forcesHttps && hsts && !certificate.isSelfSigned },
      tryAt: isOwn ? tls.tryAt : renewalTime(certificate),
    }));
  }

  /** Returns by which rules domains are served over TLS. A web server that gets certificates by itself has none that nobody vouches for. */
  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const { config, store } = this.#host;
    const served = this.#changes.served(domainIds, await readTls(store, domainIds));
    const selfSigned = await this.keys.selfSigned();
    const thumbprint = config.directory === '' ? '' : (await this.keys.account(config.directory)).thumbprint;
    const webServer = await this.webServer();
    const { takesTls = true, certifies = false } = webServer ?? {};
    const authority = siteAuthority(config);
    const rule = (id: number): SiteRule => {
      const tls = served.get(id);
      const pem = tls?.sealed === undefined ? !certifies && selfSigned : this.#unseal(tls.sealed, id);
      const has = tls !== undefined && isCertified(tls, webServer);
      const part: SiteTls = { isForced: has && tls.forcesHttps, hasHsts: has && tls.hasHsts, thumbprint, authority };
      return { isSecure: true, ...(pem !== false && { pem }), parts: { certificates: part } };
    };
    return new Map(takesTls ? domainIds.map((id) => [id, rule(id)]) : []);
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_certificate`; any error of a provider of `siteChanged`. */
  async upload(account: Account, name: string, given: OwnCertificate, ip: string): Promise<CertificateEntry> {
    const domain = await domainNamed(this.domains, account, name);
    const certificate = usable(given, domain.name);
    const text = `put a certificate of its own in place for ${domain.name}`;
    const told = { type: 'certificate.uploaded', text, ip, data: tellCertificate(domain, certificate) } as const;
    return this.#change({ domain, account }, told, (tls) => ({
      ...tls,
      ...this.#stored(certificate, domain.id),
      isOwn: true,
      hasHsts: tls.hasHsts && !certificate.isSelfSigned,
      failures: 0,
      problem: '',
    }));
  }

  /** Removes a customer's own certificate; another one is ordered. Errors: 404 `domain_not_found`, `certificate_not_found`. */
  async removeOwn(account: Account, name: string, ip: string): Promise<CertificateEntry> {
    const domain = await domainNamed(this.domains, account, name);
    const text = `removed the certificate of its own for ${domain.name}`;
    const told = { type: 'certificate.removed', text, ip, data: { domain_url: domain.name } } as const;
    return this.#change({ domain, account }, told, (tls) => {
      if (!tls.isOwn) throw fail.certificate_not_found('the domain has no certificate of your own');
      return { ...tls, ...NO_CERTIFICATE, forcesHttps: false, hasHsts: false, tryAt: 0 };
    });
  }

  /** Errors: 404 `domain_not_found`; 409 `certificate_required`; any error of a provider of `siteChanged`. */
  async set(account: Account, name: string, settings: CertificateSettings, ip: string): Promise<CertificateEntry> {
    const [domain, webServer] = await Promise.all([domainNamed(this.domains, account, name), this.webServer()]);
    const wanted = (tls: DomainTls) => {
      const forcesHttps = settings.force_https ?? tls.forcesHttps;
      return { forcesHttps, hasHsts: forcesHttps && (settings.hsts ?? tls.hasHsts) };
    };
    const change = (tls: DomainTls): DomainTls => {
      const { forcesHttps, hasHsts } = wanted(tls);
      if (settings.hsts === true && !hasHsts)
        throw fail.certificate_required('browsers can be told to come over HTTPS only where HTTPS is forced');
      if (forcesHttps && !isCertified(tls, webServer))
        throw fail.certificate_required('browsers would warn of the self-signed certificate');
      if (hasHsts && this.#isSelfSigned(tls))
        throw fail.certificate_required('the certificate is self-signed, and no browser would let its visitor go on');
      return { ...tls, forcesHttps, hasHsts };
    };
    return this.#change(
      { domain, account },
      (tls) => ({
        type: 'certificate.changed',
        text: `changed how ${domain.name} uses HTTPS`,
        ip,
        data: { domain_url: domain.name, force_https: tls.forcesHttps, hsts: tls.hasHsts },
      }),
      change,
    );
  }

  /**
   * Has a certificate ordered at once. Errors: 404 `domain_not_found`; 409 `certificates_not_issued`, also where the domain has
   * one of its own; 429 `certificate_too_soon`.
   */
  async request(account: Account, name: string, ip: string): Promise<CertificateEntry> {
    const { config, store, events } = this.#host;
    const domain = await domainNamed(this.domains, account, name);
    const webServer = await this.webServer();
    if (!this.orders(account) || webServer?.takesTls !== true || webServer.certifies === true)
      throw fail.certificates_not_issued('no authority is set up to order certificates from');
    const now = Date.now();
    const tls = await store.write(async (tx) => {
      const before = await readOne(tx, domain);
      if (before.isOwn) throw fail.certificates_not_issued('the domain has a certificate of your own: remove it first');
      const restMs =
        before.sealed !== undefined && before.failures === 0 ? FRESH_MS : (config.retry_seconds * 1000) / 4;
      const waitMs = before.triedAt + restMs - now;
      if (waitMs > 0)
        throw fail.certificate_too_soon(
          `authorities issue a few certificates for a name in a while: try again in ${formatWait(waitMs / 1000)}`,
          { retryAfterSeconds: waitMs / 1000 },
        );
      await writeTls(tx, { ...before, tryAt: now });
      const text = `asked for a certificate of ${domain.name}`;
      const data = { domain_url: domain.name };
      await events.record(tx, { type: 'certificate.requested', account, text, ip, data });
      return { ...before, tryAt: now };
    });
    return certificateEntry(domain.name, tls, this.#surroundings(account, webServer));
  }

  /** Serves and stores an issued certificate, unless the customer has brought one. Errors: those of `siteChanged`. */
  async issued({ domain, account }: Subject, certificate: Certificate): Promise<void> {
    await this.#change({ domain, account }, issue({ domain, account }, certificate), (tls) => {
      if (tls.isOwn) throw fail.certificates_not_issued('the customer has brought a certificate meanwhile');
      const stored = { ...tls, ...this.#stored(certificate, domain.id), isOwn: false };
      return { ...stored, tryAt: renewalTime(certificate), failures: 0, problem: '' };
    });
  }

  /** Gives up an issued certificate, in whose place the web server gets one by itself. */
  async release(subject: Subject): Promise<void> {
    await this.#change(subject, undefined, (tls) => (tls.isOwn ? tls : { ...tls, ...NO_CERTIFICATE, tryAt: 0 }));
  }

  /** Removes what is known of a removed domain. */
  forget(domainId: number): Promise<unknown> {
    return this.#changes.forget(domainId, (tx) => removeTls(tx, domainId));
  }

  async #change(
    { domain, account }: Subject,
    told: Told | ((tls: DomainTls) => Told) | undefined,
    change: (tls: DomainTls) => DomainTls,
  ): Promise<CertificateEntry> {
    const { store, events } = this.#host;
    const tls = await this.#changes.inTurn(domain, async () => {
      if (!(await this.has({ domain, account }))) throw fail.domain_not_found('the domain has been removed meanwhile');
      const wanted = change(await readOne(store, domain));
      await this.#changes.serve({ ...domain, account }, wanted, async (tx) => {
        await writeTls(tx, change(await readOne(tx, domain)));
        const event = typeof told === 'function' ? told(wanted) : told;
        if (event !== undefined) await events.record(tx, { ...event, account } as EventInput);
      });
      return wanted;
    });
    return certificateEntry(domain.name, tls, this.#surroundings(account, await this.webServer()));
  }

  #surroundings(account: Account, webServer: WebServerPart | undefined) {
    return { webServer, isIssuing: this.orders(account), now: Date.now() };
  }

  #stored({ pem, names, issuer, validFrom, validTo }: Certificate, domainId: number) {
    const sealed = this.#host.identity.keys.seal(pem, context(domainId));
    return { sealed, names, issuer, validFrom, validTo, isTold: false };
  }

  #unseal(sealed: string, domainId: number): string {
    return this.#host.identity.keys.unseal(sealed, context(domainId));
  }

  #isSelfSigned({ sealed, domainId }: DomainTls): boolean {
    return sealed !== undefined && isSelfSigned(new X509Certificate(splitPem(this.#unseal(sealed, domainId))[1]));
  }
}

/** Binds a sealed key to its domain. */
const context = (domainId: number) => `certificate ${domainId}`;

function usable({ certificate, private_key: key }: OwnCertificate, name: string): Certificate {
  try {
    return checkCertificate(certificate, key, [name], Date.now());
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const path = error.message.includes('private key') ? '/private_key' : '/certificate';
    throw fail.invalid_certificate(error.message, { path });
  }
}
