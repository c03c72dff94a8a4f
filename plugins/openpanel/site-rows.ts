import { asked, same, type Given, type Row } from './row.ts';
import { one } from './shapes.ts';

const PHP = { calls: 'GET /api/php' };
type PhpSite = Readonly<Record<'domain_url' | 'version', string>>;
const DOMAINS = { calls: 'GET /api/domains' };
const atDomain = ({ domain = '' }: Given) => ({ domain });
/** The rows that suspend a domain, or lift that. */
const suspends = (verb: string, suspended: boolean): Row => ({
  is: `POST /api/domains/:domain/${verb}`,
  steps: [{ calls: 'PUT /api/domains/:domain/suspended', params: atDomain, body: () => ({ suspended }) }],
});
type Domain = Readonly<Record<'domain_url' | 'docroot' | 'shown_as', string>>;
const named = <T extends Pick<Domain, 'domain_url'>>(list: readonly T[], domain: string | undefined, what = 'domain') =>
  one(list, ({ domain_url: name }) => name === domain, 'domain_not_found', what);
const REDIRECTS = { calls: 'GET /api/redirects' };
/** OpenPanel has one redirect for a domain, of all its paths. */
const WHOLE = { path: '/', match: 'prefix' } as const;
type Redirect = Readonly<Record<'domain_url' | 'path' | 'match' | 'target', string> & { redirect_id: number }>;
const isWhole =
  (domain: string | undefined) =>
  ({ domain_url: name, path, match }: Redirect) =>
    name === domain && path === WHOLE.path && match === WHOLE.match;
const FIREWALL = { calls: 'GET /api/site-firewall' };
const SITES = { calls: 'GET /api/auto-installer' };
const SCREENSHOT = 'GET /api/screenshot/*path';

/** Rows of domains, what is served at them, and what is installed there. */
export const siteRows: readonly Row[] = [
  same('GET /api/domains'),
  {
    is: 'POST /api/domains',
    takes: ['domain!', 'docroot'],
    status: 201,
    steps: [{ calls: 'POST /api/domains/new', body: ({ domain, docroot }) => ({ domain_url: domain, docroot }) }],
  },
  {
    is: 'DELETE /api/domains/:domain',
    steps: [{ calls: 'POST /api/domains/delete', body: ({ domain }) => ({ domain_url: domain }) }],
  },
  {
    is: 'GET /api/domains/:domain/logs',
    steps: [{ calls: 'GET /api/logs/lines', query: ({ domain }) => ({ domain_url: domain, limit: '1000' }) }],
    reply: ([{ lines }], { domain }) => ({
      domain,
      logs: lines.map(({ text }: { readonly text: string }) => text).toReversed(),
    }),
  },
  {
    is: 'GET /api/stats/:domain',
    steps: [{ calls: 'GET /api/visitors', query: ({ domain }) => ({ domain_url: domain, days: '30' }) }],
  },
  {
    is: 'GET /api/domains/:domain/docroot',
    steps: [DOMAINS],
    reply: ([{ domains }], { domain }) => ({ domain, docroot: named(domains as Domain[], domain).docroot }),
  },
  {
    is: 'PUT /api/domains/:domain/docroot',
    isTaken: true,
    takes: ['docroot!'],
    steps: [{ calls: 'PUT /api/domains/:domain/docroot', params: atDomain, body: ({ docroot }) => ({ docroot }) }],
  },
  suspends('suspend', true),
  suspends('unsuspend', false),
  {
    is: 'GET /api/domains/:domain/capitalize',
    steps: [DOMAINS],
    reply: ([{ domains }], { domain }) => ({ domain, capitalized_domain: named(domains as Domain[], domain).shown_as }),
  },
  {
    is: 'PUT /api/domains/:domain/capitalize',
    takes: ['capitalized_domain!'],
    steps: [
      {
        calls: 'PUT /api/domains/:domain/shown-as',
        params: atDomain,
        body: ({ capitalized_domain: shown_as }) => ({ shown_as }),
      },
    ],
    reply: ([{ domain_url: domain, shown_as: capitalized_domain }]) => ({ domain, capitalized_domain }),
  },

  { is: 'GET /api/php/versions', steps: [PHP], reply: ([{ versions }]) => ({ versions }) },
  {
    is: 'GET /api/php/domains',
    steps: [PHP],
    reply: ([{ sites }]) => ({
      domains: (sites as PhpSite[]).map(({ domain_url: domain, version }) => ({ domain, version })),
    }),
  },
  {
    is: 'PUT /api/php/domains',
    takes: ['domain!', 'version!'],
    steps: [
      {
        calls: 'PUT /api/php/sites/:domain/version',
        params: atDomain,
        body: ({ version }) => ({ version }),
      },
    ],
  },

  {
    is: 'GET /api/domains/:domain/redirect',
    steps: [DOMAINS, REDIRECTS],
    reply: ([{ domains }, { redirects }], { domain }) => ({
      domain: named(domains, domain).domain_url,
      redirect_url: (redirects as Redirect[]).find(isWhole(domain))?.target ?? null,
    }),
  },
  {
    is: 'PUT /api/domains/:domain/redirect',
    takes: ['redirect_url!'],
    steps: [
      {
        calls: 'POST /api/redirects',
        body: ({ domain, redirect_url: target }) => ({ domain_url: domain, target, ...WHOLE }),
      },
    ],
  },
  {
    is: 'DELETE /api/domains/:domain/redirect',
    steps: [
      REDIRECTS,
      {
        calls: 'DELETE /api/redirects/:id',
        params: ({ domain }, [{ redirects }]) => ({
          id: String(one<Redirect>(redirects, isWhole(domain), 'not_found', 'redirect').redirect_id),
        }),
      },
    ],
  },
  {
    is: 'GET /api/domains/:domain/ssl',
    steps: [{ calls: 'GET /api/certificates' }],
    reply: ([{ certificates }], { domain }) => named(certificates, domain),
  },
  same('GET /api/waf', FIREWALL.calls),
  {
    is: 'GET /api/waf/:domain',
    steps: [FIREWALL],
    reply: ([{ sites }], { domain }) => named(sites, domain),
  },
  {
    is: 'POST /api/waf/:domain',
    takes: ['status!'],
    choices: { status: ['on', 'off'] },
    steps: [{ calls: 'PUT /api/site-firewall/:domain', params: atDomain, body: ({ status: mode }) => ({ mode }) }],
  },
  {
    is: 'PUT /api/waf/:domain/rules',
    takes: ['remove_by_id', 'remove_by_tag'],
    steps: [
      {
        calls: 'PUT /api/site-firewall/:domain',
        params: atDomain,
        body: ({ remove_by_id: ids, remove_by_tag: tags }) => ({ excluded_ids: ids, excluded_tags: tags }),
      },
    ],
  },
  {
    is: 'GET /api/waf/log/:domain',
    steps: [{ calls: 'GET /api/site-firewall/:domain/requests', params: atDomain }],
  },
  same('GET /api/cache/varnish/domains', 'GET /api/site-cache'),
  {
    is: 'POST /api/cache/varnish/domains/:domain',
    takes: ['status!'],
    choices: { status: ['on', 'off'] },
    steps: [
      {
        calls: 'PUT /api/site-cache/:domain',
        params: atDomain,
        body: ({ status }) => ({ cached: status === 'on' }),
      },
    ],
  },

  { is: 'GET /api/sites', steps: [SITES], reply: ([{ sites }]) => ({ sites }) },
  {
    is: 'GET /api/sites/:domain',
    steps: [SITES],
    reply: ([{ sites }], { domain }) =>
      one<{ site: string }>(sites, ({ site }) => site === domain, 'domain_not_found', 'site'),
  },
  {
    is: 'GET /api/sites/:domain/screenshot',
    produces: ['image/png'],
    steps: [{ calls: SCREENSHOT, params: ({ domain }) => ({ path: domain }) }],
  },
  {
    is: 'POST /api/sites/:domain/screenshot',
    produces: ['image/png'],
    steps: [{ calls: SCREENSHOT, params: ({ domain }) => ({ path: domain }), query: () => ({ refresh: true }) }],
  },
  {
    is: 'GET /api/sites/:domain/temporary-link',
    steps: [{ calls: 'GET /api/temporary-links' }],
    reply: ([{ links }], { domain }) => named(links, domain, 'temporary link'),
  },
  asked('GET /api/sites/database-size', ['database'], 'GET /api/database-size'),
  same('GET /api/autoinstaller', SITES.calls),
  {
    is: 'GET /api/wordpress',
    steps: [SITES],
    reply: ([{ sites }]) => ({ sites: sites.filter(({ type }: { type: string }) => type === 'wordpress') }),
  },
];
