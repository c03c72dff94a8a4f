import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { HttpError, errorMessage } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { siteNames, type Domain } from '../../../kernel/areas/sites/domain-directory.ts';
import type { WebServerPart } from '../../../kernel/contract/points/web-server-part.ts';
import { NameServers } from '../../../kernel/kit/net/name-addresses.ts';
import { newPrivateKey } from '../../../kernel/kit/net/x509.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import { Recurring } from '../../../kernel/kit/waiting/recurring.ts';
import { AcmeClient } from '../acme/acme-client.ts';
import { AcmeFailure } from '../acme/acme-failure.ts';
import { expiresSoon, isCertified } from '../certificate-entry.ts';
import type { Certificates } from '../certificates.ts';
import { checkCertificate, Unusable, type Certificate } from '../check-certificate.ts';
import { OrderNotes, type Subject } from './order-notes.ts';
import type { CertificatesConfig } from '../schema.ts';
import { NotServed, servedCertificate } from './served-certificate.ts';
import { readTls, writeTls, type DomainTls } from '../store.ts';

/** Domains that are looked through at a time. */
const PAGE = 500;
/** How long a web server may take to show a certificate. */
const SHOW_MS = 5000;
/** How long after its death a process still keeps others from ordering what it ordered. */
const LEASE_MS = 60_000;
/** Events after which a certificate may be due. */
const WAKING = new Set([
  'certificate.requested',
  'certificate.removed',
  'domain.added',
  'domain.removed',
  'account.moved',
]);

/** Orders certificates for the domains of this node, or looks at those that its web server gets by itself, when they are due. */
export class Issuing {
  readonly #host: Host<CertificatesConfig>;
  readonly #certificates: Certificates;
  readonly #notes: OrderNotes;
  readonly #queue: FairQueue;
  readonly #closing = new AbortController();
  /** By domain, the order or the look that waits or runs. */
  readonly #orders = new Map<number, Promise<void>>();
  readonly #looking: Recurring;
  #client: Promise<AcmeClient> | undefined;
  /** Until when the authority wants no order. */
  #pausedUntil = 0;
  #including: Promise<void> = Promise.resolve();

  constructor(host: Host<CertificatesConfig>, certificates: Certificates) {
    this.#host = host;
    this.#certificates = certificates;
    this.#notes = new OrderNotes(host);
    setMaxListeners(0, this.#closing.signal); // each order that waits listens to it
    const { parallel } = host.config;
    this.#queue = new FairQueue({ slots: parallel, perClient: Math.ceil(parallel / 2) });
    this.#looking = new Recurring({
      run: () => this.#look(),
      failed: (err) => host.log.error({ err }, 'domains could not be looked through for certificates'),
      everyMs: host.config.check_seconds * 1000,
    });
  }

  /** Looks through the domains now and from now on. */
  start(): void {
    const { events, onClose } = this.#host;
    onClose(() => this.#close());
    onClose(
      events.listen(({ type, data }) => {
        if (WAKING.has(type)) this.#looking.wake();
        if (type === 'domain.alias_added') this.#include(Number(data['domain_id']));
      }),
    );
    this.#looking.wake();
  }

  /** Proves that the authority answers and has an account for this server. Rejects with an `AcmeFailure`. */
  async prove(signal: AbortSignal): Promise<void> {
    await (await this.#acme()).account(signal);
  }

  /**
   * Resolves with a new certificate. Rejects with an `AcmeFailure`, at once if the authority wants no order now, or with `Unusable`,
   * or when aborted.
   */
  async order(names: readonly string[], signal: AbortSignal): Promise<Certificate> {
    if (Date.now() < this.#pausedUntil) throw new AcmeFailure('the authority wants no order now');
    const { order_seconds: seconds } = this.#host.config;
    const late = new AcmeFailure(`the order takes longer than ${seconds} s`);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(late), seconds * 1000);
    const key = newPrivateKey();
    try {
      const chain = await (await this.#acme()).order(names, key, AbortSignal.any([signal, limit.signal]));
      return checkCertificate(chain, key, names, Date.now());
    } catch (error) {
      const pauseMs = error instanceof AcmeFailure ? error.pauseMs : 0;
      if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + pauseMs);
      throw limit.signal.aborted ? late : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Has a certificate ordered that is for a new name as well: at once, but for an order that runs or that ended a short while ago. */
  #include(domainId: number): void {
    const { config, log, store } = this.#host;
    const note = (this.#orders.get(domainId) ?? Promise.resolve()).then(() =>
      store.write(async (tx) => {
        const tls = (await readTls(tx, [domainId])).get(domainId);
        if (tls === undefined || tls.isOwn) return;
        const soonest = Math.max(Date.now(), tls.triedAt + config.retry_seconds * 1000);
        await writeTls(tx, { ...tls, tryAt: Math.min(tls.tryAt, soonest) });
      }),
    );
    this.#including = Promise.all([this.#including, note]).then(
      () => this.#looking.wake(),
      (err: unknown) => log.error({ err, domain_id: domainId }, 'no certificate could be ordered for a new name'),
    );
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('the plugin closes'));
    await this.#including;
    await this.#looking.close();
    await Promise.all(this.#orders.values());
  }

  async #look(): Promise<void> {
    const webServer = await this.#certificates.webServer();
    let page: Domain[] = [];
    for await (const domain of this.#certificates.domains.all())
      if (page.push(domain) === PAGE) page = await this.#lookAt(page, webServer);
    await this.#lookAt(page, webServer);
  }

  /** Returns the empty page that follows. */
  async #lookAt(page: readonly Domain[], webServer: WebServerPart | undefined): Promise<Domain[]> {
    const rows = await readTls(
      this.#host.store,
      page.map(({ id }) => id),
    );
    const now = Date.now();
    for (const domain of page) {
      const tls = rows.get(domain.id);
      const isExpiring = tls !== undefined && isCertified(tls, webServer) && !tls.isTold && expiresSoon(tls, now);
      const isFree = now >= this.#pausedUntil && !this.#orders.has(domain.id);
      const isDue = webServer?.takesTls === true && isFree && isDueAt(tls, now);
      if (!isDue && !isExpiring) continue;
      const account = await this.#host.identity.accounts.byId(domain.accountId);
      if (account === undefined) continue;
      const subject = { domain, account };
      if (isExpiring) await this.#notes.tellExpiry(subject);
      if (isDue && webServer.certifies === true) {
        if (tls?.sealed === undefined) this.#start(subject, () => this.#see(subject, webServer));
        // one that another web server had was issued for it, and nobody renews it
        else if (expiresSoon(tls, now)) this.#start(subject, () => this.#certificates.release(subject));
        continue;
      }
      // what there is stays valid, whatever the plan says now
      if (
        isDue &&
        (tls?.sealed === undefined ? this.#certificates.orders(account) : this.#host.config.directory !== '')
      )
        this.#start(subject, () => this.#orderOnce(subject));
    }
    return [];
  }

  #start(subject: Subject, work: () => Promise<void>): void {
    const { id, accountId } = subject.domain;
    const { signal } = this.#closing;
    const order = this.#queue
      .run(accountId, work, { signal })
      .catch((err: unknown) => {
        if (!signal.aborted)
          this.#host.log.error(
            { err, domain: subject.domain.name },
            'the certificate of a domain could not be looked after',
          );
      })
      .finally(() => this.#orders.delete(id));
    this.#orders.set(id, order);
  }

  /** Looks at what visitors get: nothing else says which certificate the web server has. */
  async #see(subject: Subject, webServer: WebServerPart): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(SHOW_MS)]);
    const look = servedCertificate(webServer, subject.domain.name, signal);
    const found = await look.catch((error: unknown) => error as NotServed);
    if (this.#closing.signal.aborted || !(await this.#certificates.has(subject))) return;
    await (found instanceof NotServed ? this.#notes.unseen(subject, found) : this.#notes.seen(subject, found));
  }

  /** Orders, unless another process does, or a pause began or the domain was removed meanwhile. */
  async #orderOnce(subject: Subject): Promise<void> {
    if (Date.now() < this.#pausedUntil || !(await this.#certificates.has(subject))) return;
    const lease = await this.#host.node.leases.acquire(`certificate ${subject.domain.id}`, LEASE_MS);
    if (lease === undefined) return;
    try {
      await this.#order(subject, AbortSignal.any([this.#closing.signal, lease.signal]));
    } catch (error) {
      if (this.#closing.signal.aborted || lease.signal.aborted || !(await this.#certificates.has(subject))) return;
      await this.#fail(subject, error);
    } finally {
      await lease.release();
    }
  }

  async #order(subject: Subject, signal: AbortSignal): Promise<void> {
    const { domain } = subject;
    await this.#notes.begin(subject);
    const names = await this.#names(subject);
    const certificate = await this.order(names, signal);
    await this.#certificates.issued(subject, certificate);
    this.#host.log.info({ domain: domain.name, names, valid_to: certificate.validTo }, 'a certificate was issued');
  }

  async #fail(subject: Subject, error: unknown): Promise<void> {
    const isKnown = error instanceof AcmeFailure || error instanceof Unusable || error instanceof HttpError;
    if (!isKnown)
      this.#host.log.error({ err: error, domain: subject.domain.name }, 'a certificate could not be ordered');
    const pauseMs = error instanceof AcmeFailure ? error.pauseMs : 0;
    const reason =
      error instanceof Unusable ? `what the authority issued cannot be used: ${error.message}` : errorMessage(error);
    await this.#notes.failed(subject, isKnown ? reason : 'an internal error', pauseMs);
  }

  /** Resolves with the name of a domain, and with those others of its site that lead to the same place. */
  async #names({ domain, account }: Subject): Promise<string[]> {
    const servers = new NameServers(this.#host.config.resolvers);
    const [name = '', ...further] = siteNames(domain, await this.#certificates.domains.list(account));
    const found = await Promise.all([name, ...further].map((each) => servers.addressesOf(each)));
    const [own = [], ...others] = found.map(({ addresses }) => addresses);
    if (own.length === 0) throw new AcmeFailure(`the name servers know no address of ${name}`);
    const isSame = (other: readonly string[] = []) => other.length > 0 && other.every((each) => own.includes(each));
    return [name, ...further.filter((_, i) => isSame(others[i]))];
  }

  #acme(): Promise<AcmeClient> {
    return (this.#client ??= this.#makeClient().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    }));
  }

  async #makeClient(): Promise<AcmeClient> {
    const { directory, ca_file: file, timeout_seconds: seconds, contact } = this.#host.config;
    const read = async () => {
      try {
        return file === '' ? undefined : await readFile(file, 'utf8');
      } catch (cause) {
        throw new AcmeFailure('certificates.ca_file cannot be read', { cause });
      }
    };
    const authority = { directory, ca: await read(), timeoutMs: seconds * 1000 };
    return new AcmeClient(authority, await this.#certificates.keys.account(directory), contact);
  }
}

function isDueAt(tls: DomainTls | undefined, now: number): boolean {
  return tls === undefined || (!tls.isOwn && tls.tryAt <= now);
}
