import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Domain } from '../../../kernel/areas/sites/domain-directory.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { tellCertificate, timeText } from '../certificate-entry.ts';
import type { CertificateFacts } from '../check-certificate.ts';
import type { CertificatesConfig } from '../schema.ts';
import type { NotServed } from './served-certificate.ts';
import { NO_CERTIFICATE, readOne, writeTls } from '../store.ts';

/** A domain with its account. */
export interface Subject {
  readonly domain: Domain;
  readonly account: Account;
}

/** How often a certificate is looked at that the web server gets by itself. */
const LOOK_MS = 3_600_000;
/** After so many looks that found none, this is told: a domain that was just added has none. */
const TOLD_FAILURES = 3;
/** The longest pause after failures. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Notes of orders what decides when the next one begins, and tells what came of them. */
export class OrderNotes {
  readonly #host: Host<CertificatesConfig>;

  constructor(host: Host<CertificatesConfig>) {
    this.#host = host;
  }

  /** Notes that an order begins: if the process is killed, the next one waits a while. */
  begin({ domain }: Subject): Promise<void> {
    const now = Date.now();
    const tryAt = now + Math.round((this.#host.config.retry_seconds * 1000) / 12);
    return this.#host.store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      const lost = tls.sealed === undefined && NO_CERTIFICATE; // one that another web server had got by itself
      await writeTls(tx, { ...tls, ...lost, triedAt: now, tryAt });
    });
  }

  /** Notes why an order failed, and when the next one begins. */
  async failed({ domain, account }: Subject, reason: string, pauseMs: number): Promise<void> {
    const { config, store, events } = this.#host;
    await store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      if (tls.isOwn) return;
      const backoffMs = Math.min(config.retry_seconds * 1000 * 2 ** Math.min(tls.failures, 10), LONGEST_PAUSE_MS);
      const tryAt = Date.now() + Math.max(pauseMs, backoffMs * (1 + Math.random() / 4));
      await writeTls(tx, { ...tls, failures: tls.failures + 1, problem: reason, tryAt: Math.round(tryAt) });
      await events.record(tx, failure({ domain, account }, reason));
    });
  }

  /** Notes the certificate that the web server has got by itself. */
  async seen({ domain, account }: Subject, facts: CertificateFacts): Promise<void> {
    const { store, events } = this.#host;
    await store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      if (tls.sealed !== undefined) return;
      const isNew = tls.validTo !== facts.validTo || tls.issuer !== facts.issuer;
      const now = Date.now();
      const found = { ...tls, ...facts, isTold: tls.isTold && !isNew, failures: 0, problem: '' };
      await writeTls(tx, { ...found, triedAt: now, tryAt: now + LOOK_MS });
      if (isNew) await events.record(tx, issue({ domain, account }, facts));
    });
  }

  /** Notes why the web server serves no certificate that it has got by itself; one that does not answer may still have it. */
  async unseen({ domain, account }: Subject, { message: problem, isLacking }: NotServed): Promise<void> {
    const { config, store, events } = this.#host;
    await store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      if (tls.sealed !== undefined) return;
      const [now, failures, lost] = [Date.now(), tls.failures + 1, isLacking && NO_CERTIFICATE];
      const tryAt = now + Math.min(config.check_seconds * 1000 * 2 ** Math.min(tls.failures, 12), LOOK_MS);
      await writeTls(tx, { ...tls, ...lost, failures, problem, triedAt: now, tryAt });
      if (isLacking && failures === TOLD_FAILURES) await events.record(tx, failure({ domain, account }, problem));
    });
  }

  /** Tells once that a certificate expires soon. */
  async tellExpiry({ domain, account }: Subject): Promise<void> {
    await this.#host.store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      if (tls.isTold || tls.validTo === 0) return;
      await writeTls(tx, { ...tls, isTold: true });
      const text = `found that the certificate of ${domain.name} expires on ${timeText(tls.validTo)}`;
      const data = tellCertificate(domain, tls);
      const event = { type: 'certificate.expiring', account, text, ip: '', isNoticed: true, data } as const;
      await this.#host.events.record(tx, event);
    });
  }
}

/** Returns the event that tells a new certificate. */
export const issue = ({ domain, account }: Subject, facts: CertificateFacts) =>
  ({
    type: 'certificate.issued',
    account,
    text: `got a certificate of ${domain.name} from ${facts.issuer}`,
    ip: '',
    isNoticed: true,
    data: tellCertificate(domain, facts),
  }) as const;

const failure = ({ domain, account }: Subject, reason: string) =>
  ({
    type: 'certificate.failed',
    account,
    text: `got no certificate of ${domain.name}: ${reason}`,
    ip: '',
    isNoticed: true,
    data: { domain_url: domain.name, reason },
  }) as const;
