import { definePlugin } from '../../kernel/contract/plugin.ts';
import { domainNamed, NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { RequestLogs } from '../../kernel/areas/sites/request-logs.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { fail } from './errors.ts';
import * as schema from './schema.ts';
import { VisitorCounts } from './visitors.ts';

export default definePlugin({
  name: 'visitors',
  description: 'Who visits a site, which pages, and where from: counted by goaccess from its log.',
  features: ['goaccess'],
  uses: ['domains', 'logs'],
  errors: fail,
  config: schema.VisitorsConfig,
  routes: {
    show: {
      method: 'GET',
      path: '/api/visitors',
      at: 'home',
      summary: 'Count the visitors of a domain with goaccess',
      description: 'From the requests that its log has, at most a minute old.',
      query: schema.VisitorsQuery,
      reply: schema.Visitors,
      errors: ['domain_not_found', 'visitors_unavailable', 'overloaded'],
    },
  },
  setup(host) {
    const domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    const logs = host.peer<RequestLogs>('logs');
    const visitors = new VisitorCounts(host, logs ?? { since: async () => ({ files: [], isTruncated: false }) });
    return {
      handlers: {
        async show({ account, query }) {
          const domain = await domainNamed(domains, account, query.domain_url, { path: '/domain_url' });
          return visitors.read(account, domain, query.days);
        },
      },
      provides: {
        doctor: async () => (logs === undefined || host.config.goaccess === '' ? [] : [await goaccess(visitors)]),
      },
    };
  },
});

async function goaccess(visitors: VisitorCounts): Promise<Finding> {
  const name = 'visitors';
  try {
    return { name, ok: true, detail: await visitors.version() };
  } catch (error) {
    const remedy =
      'install it (apt-get install goaccess), or set visitors.goaccess to an empty text; see that visitors.geoip_database is a file of MaxMind';
    return { name, ok: false, isWarning: true, detail: errorMessage(error), remedy };
  }
}
