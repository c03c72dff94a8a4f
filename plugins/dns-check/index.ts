import { definePlugin } from '../../kernel/contract/plugin.ts';
import { DnsChecks } from './dns-check.ts';
import { fail } from './errors.ts';
import { DnsCheck, DnsCheckConfig, DnsCheckQuery } from './schema.ts';

export default definePlugin({
  name: 'dns-check',
  description: 'Whether the names of a domain lead to this server.',
  features: [],
  uses: ['domains'],
  errors: fail,
  config: DnsCheckConfig,
  routes: {
    check: {
      method: 'GET',
      path: '/api/dns-check',
      at: 'home',
      feature: { all: ['domains'] },
      summary: 'See where the names of a domain lead',
      description:
        'The domain, www and its aliases, as the name servers of this node see them. An answer may be some seconds old; changes ' +
        'of DNS take as long as the records before them say.',
      query: DnsCheckQuery,
      reply: DnsCheck,
      errors: ['domain_not_found', 'overloaded'],
    },
  },
  setup(host) {
    const checks = new DnsChecks(host);
    return { handlers: { check: ({ account, query }) => checks.check(account, query.domain_url) } };
  },
});
