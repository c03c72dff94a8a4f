import { definePlugin } from '../../kernel/contract/plugin.ts';
import { archivedSites } from '../../kernel/areas/archives/archived-list.ts';
import { forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import { gauge } from '../../kernel/contract/points/metric.ts';
import { Certificates } from './certificates.ts';
import { findings } from './doctor.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { Issuing } from './issuing/issuing.ts';
import * as schema from './schema.ts';
import { ServerCertificate } from './server-certificate.ts';
import { countTls } from './store.ts';

const ofDomain = { at: 'home', params: schema.CertificateParams, reply: schema.CertificateEntry } as const;

export default definePlugin({
  name: 'certificates',
  description: 'HTTPS for domains: certificates that are ordered and renewed, or brought by the customer.',
  features: ['ssl'],
  uses: ['domains'],
  errors: fail,
  events,
  config: schema.CertificatesConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/certificates',
      at: 'home',
      summary: 'List the certificate of each domain of the account, and what becomes of it',
      description: 'Every domain answers over HTTPS: with a self-signed certificate until it has another one.',
      reply: schema.CertificateList,
    },
    request: {
      ...ofDomain,
      method: 'POST',
      path: '/api/certificates/:domain/request',
      summary: 'Have a certificate of a domain ordered or renewed at once',
      description:
        'Certificates are ordered and renewed without it. It is also for www, where that leads to the same place.',
      status: 202,
      errors: ['domain_not_found', 'certificates_not_issued', 'certificate_too_soon'],
    },
    upload: {
      ...ofDomain,
      method: 'PUT',
      path: '/api/certificates/:domain',
      summary: 'Put your own certificate and private key in place',
      description:
        'Served at once; if the web server refuses it, nothing is changed. It is not renewed. The private key never leaves the server again.',
      idempotencyKey: 'refused',
      body: schema.OwnCertificate,
      errors: ['domain_not_found', 'invalid_certificate', 'webserver_failed'],
    },
    remove: {
      ...ofDomain,
      method: 'DELETE',
      path: '/api/certificates/:domain',
      summary: 'Remove your own certificate',
      description: 'HTTPS is no longer forced. A certificate is ordered, if this server orders any.',
      errors: ['domain_not_found', 'certificate_not_found', 'webserver_failed'],
    },
    change: {
      ...ofDomain,
      method: 'PATCH',
      path: '/api/certificates/:domain',
      summary: 'Lead visitors to HTTPS, and have browsers remember it',
      description: 'Both need a certificate; what browsers remember for a year, nobody can take back.',
      body: schema.CertificateSettings,
      errors: ['domain_not_found', 'certificate_required', 'webserver_failed'],
    },
  },
  // Waits for nothing: the web server asks for rules at its own start.
  setup(host) {
    const { node, store } = host;
    const certificates = new Certificates(host);
    const issuing = new Issuing(host, certificates);
    forgetRemoved(host, (id) => certificates.forget(id));
    const server = new ServerCertificate(host, certificates, issuing);
    if (node.isServing)
      void node.onLeader(() => {
        issuing.start();
        server.start();
      });
    return {
      handlers: {
        list: ({ account }) => certificates.list(account),
        request: ({ account, params, ip }) => certificates.request(account, params.domain, ip),
        upload: ({ account, params, body, ip }) => certificates.upload(account, params.domain, body, ip),
        remove: ({ account, params, ip }) => certificates.removeOwn(account, params.domain, ip),
        change: ({ account, params, body, ip }) => certificates.set(account, params.domain, body, ip),
      },
      provides: {
        siteRules: (domainIds) => certificates.rules(domainIds),
        serverSite: () => server.site(),
        archive: () =>
          archivedSites<schema.KeptCertificate>({
            settings: schema.KeptCertificate,
            list: (account) => certificates.kept(account),
            put: ({ account, domain }, kept) => certificates.restore(account, domain, kept),
            what: 'the certificate',
          }),
        metrics: async () => {
          const { valid, expired, failing, next } = await countTls(store, Date.now());
          return [
            gauge('hostkeep_certificates', 'Certificates of domains by state', [
              { labels: { state: 'valid' }, value: valid },
              { labels: { state: 'expired' }, value: expired },
            ]),
            gauge(
              'hostkeep_certificates_failing',
              'Domains that lack a certificate, or a new one, after a failure',
              failing,
            ),
            ...(next === 0
              ? []
              : [
                  gauge(
                    'hostkeep_certificates_next_expiry_seconds',
                    'When the next one expires, Unix time',
                    next / 1000,
                  ),
                ]),
            ...(await server.metrics()),
          ];
        },
        doctor: async () => [...(await findings(host, certificates, issuing)), ...(await server.doctor())],
      },
    };
  },
});
