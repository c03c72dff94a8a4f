import type { Host } from '../../kernel/contract/plugin.ts';
import type { Domain } from '../../kernel/contract/points/domain-directory.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { tellCertificate, timeText } from './certificate-entry.ts';
import type { CertificatesConfig } from './schema.ts';
import { readOne, writeTls } from './store.ts';

/** A domain with its account. */
export interface Subject {
  readonly domain: Domain;
  readonly account: Account;
}

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
    return this.#host.store.write(async (tx) => writeTls(tx, { ...(await readOne(tx, domain)), triedAt: now, tryAt }));
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
      const text = `got no certificate of ${domain.name}: ${reason}`;
      const data = { domain_url: domain.name, reason };
      await events.record(tx, { type: 'certificate.failed', account, text, ip: '', isNoticed: true, data });
    });
  }

  /** Tells once that a certificate expires soon. */
  async tellExpiry({ domain, account }: Subject): Promise<void> {
    await this.#host.store.write(async (tx) => {
      const tls = await readOne(tx, domain);
      if (tls.isTold || tls.sealed === undefined) return;
      await writeTls(tx, { ...tls, isTold: true });
      const text = `found that the certificate of ${domain.name} expires on ${timeText(tls.validTo)}`;
      const data = tellCertificate(domain, tls);
      const event = { type: 'certificate.expiring', account, text, ip: '', isNoticed: true, data } as const;
      await this.#host.events.record(tx, event);
    });
  }
}
