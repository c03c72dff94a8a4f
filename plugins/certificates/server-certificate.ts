import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { ServerSite } from '../../kernel/contract/points/web-server-part.ts';
import { replaceFile } from '../../kernel/kit/files/atomic-file.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { renewalTime } from './certificate-entry.ts';
import type { Certificates } from './certificates.ts';
import { isSelfSigned } from './check-certificate.ts';
import type { Issuing } from './issuing/issuing.ts';
import { lackOfProof } from './issuing/proof.ts';
import type { CertificatesConfig } from './schema.ts';

/** The certificate of the server's own addresses, for `tls.host_name`. It is a file of the node, which the kernel serves. */
export class ServerCertificate {
  readonly #host: Host<CertificatesConfig>;
  readonly #certificates: Certificates;
  readonly #issuing: Issuing;
  readonly #closing = new AbortController();
  readonly #looking: Recurring;
  #tryAt = 0;
  #problem = '';

  constructor(host: Host<CertificatesConfig>, certificates: Certificates, issuing: Issuing) {
    this.#host = host;
    this.#certificates = certificates;
    this.#issuing = issuing;
    this.#looking = new Recurring({
      run: () => this.#look(),
      failed: (error) => {
        if (this.#closing.signal.aborted) return;
        if (this.#problem !== errorMessage(error)) host.log.warn({ err: error }, 'the server has no new certificate');
        this.#problem = errorMessage(error);
      },
      everyMs: host.config.check_seconds * 1000,
    });
  }

  /** Orders a certificate when one is due, now and from now on. */
  start(): void {
    if (!this.#isOrdered()) return;
    this.#host.onClose(async () => {
      this.#closing.abort(new Error('the plugin closes'));
      await this.#looking.close();
    });
    this.#looking.wake();
  }

  /** Returns the site by which the server proves its name. */
  async site(): Promise<ServerSite | null> {
    if (!this.#isOrdered()) return null;
    const { node, config } = this.#host;
    const { thumbprint } = await this.#certificates.keys.account(config.directory);
    const name = node.config.tls.host_name;
    const { pem } = await this.#read();
    return { name, thumbprint, url: `https://${name}:${new URL(node.url('user')).port || 443}/`, pem };
  }

  async doctor(): Promise<Finding[]> {
    const { host_name: host } = this.#host.node.config.tls;
    if (host === '') return [];
    const name = 'certificate of the server';
    const { subjectAltName, validTo, isTrusted } = await this.#read();
    const detail = `${subjectAltName ?? 'no name'}, until ${new Date(validTo).toISOString()}`;
    if (isTrusted && validTo > Date.now()) return [{ name, ok: true, detail }];
    const remedy = this.#isOrdered()
      ? `see that ${host} leads to this server, and that the web server serves its sites at port 80`
      : 'set certificates.directory, or tls.cert and tls.key in place of tls.host_name';
    const told = isTrusted ? `${detail}: it has expired` : `browsers warn of ${host}, whose certificate is self-signed`;
    return [
      { name, ok: false, isWarning: true, detail: this.#problem === '' ? told : `${told}: ${this.#problem}`, remedy },
    ];
  }

  async metrics(): Promise<Metric[]> {
    if (this.#host.node.config.tls.host_name === '') return [];
    const { validTo } = await this.#read();
    return [
      gauge(
        'hostkeep_server_certificate_expiry_seconds',
        'When the certificate of the server expires, Unix time',
        validTo / 1000,
      ),
    ];
  }

  #isOrdered(): boolean {
    return this.#host.node.config.tls.host_name !== '' && this.#host.config.directory !== '';
  }

  async #look(): Promise<void> {
    const site = await this.site();
    const { validFrom, validTo, isTrusted, isFor } = await this.#read();
    const isDue = !isTrusted || !isFor || Date.now() >= renewalTime({ validFrom, validTo });
    if (site === null || !isDue || Date.now() < this.#tryAt) return;
    await this.#assertProven(site);
    this.#tryAt = Date.now() + this.#host.config.retry_seconds * 1000;
    const { pem } = await this.#issuing.order([site.name], this.#closing.signal);
    await replaceFile(this.#host.node.config.tls.cert, pem, { mode: 0o600, flush: true });
    this.#problem = '';
    this.#host.log.info({ host_name: site.name }, 'the server has a new certificate');
  }

  /** Rejects unless the web server proves the name: an authority counts what fails. */
  async #assertProven({ name, thumbprint }: ServerSite): Promise<void> {
    const webServer = await this.#certificates.webServer();
    if (webServer === undefined) throw new Error('no web server serves the sites of this server');
    const lack = await lackOfProof(webServer, name, thumbprint);
    if (lack !== '') throw new Error(lack);
  }

  async #read() {
    const { host_name: host, cert } = this.#host.node.config.tls;
    const pem = await readFile(cert, 'utf8');
    const certificate = new X509Certificate(pem);
    const [validFrom, validTo] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const isFor = certificate.checkHost(host, { subject: 'never' }) !== undefined;
    return {
      pem,
      subjectAltName: certificate.subjectAltName,
      validFrom,
      validTo,
      isFor,
      isTrusted: !isSelfSigned(certificate),
    };
  }
}
