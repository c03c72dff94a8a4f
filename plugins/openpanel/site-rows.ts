import { asked, same, type Given, type Row, type Values } from './row.ts';
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
type Domain = Readonly<
  Record<'domain_url' | 'docroot' | 'shown_as', string> & Record<'suspended' | 'suspended_by_operator', boolean>
>;
const named = <T extends Pick<Domain, 'domain_url'>>(list: readonly T[], domain: string | undefined, what = 'domain') =>
  one(list, ({ domain_url: name }) => name === domain, 'domain_not_found', what);
type LogOfSite = Readonly<{ domain_url: string }>;
const visitors = (is: string): Row => ({
  is,
  steps: [{ calls: 'GET /api/visitors', query: ({ domain }) => ({ domain_url: domain, days: '30' }) }],
});
const REDIRECTS = { calls: 'GET /api/redirects' };
/** OpenPanel has one redirect for a domain, of all its paths. */
const WHOLE = { path: '/', match: 'prefix' } as const;
type Redirect = Readonly<Record<'domain_url' | 'path' | 'match' | 'target', string> & { redirect_id: number }>;
const isWhole =
  (domain: string | undefined) =>
  ({ domain_url: name, path, match }: Redirect) =>
    name === domain && path === WHOLE.path && match === WHOLE.match;
const FIREWALL = { calls: 'GET /api/site-firewall' };
type Guarded = Readonly<Record<'domain_url' | 'mode', string> & Record<'excluded_ids' | 'excluded_tags', unknown>>;
type Cached = Readonly<{ domain_url: string; cached: boolean }>;
/** OpenPanel writes these so. */
const ON_OFF = ['On', 'Off', 'on', 'off'];
const onOff = (isOn: boolean) => (isOn ? 'On' : 'Off');
const guarded = ({ domain_url: domain, mode, excluded_ids: ids, excluded_tags: tags }: Guarded) => ({
  ...{ domain, status: onOff(mode !== 'off'), mode, removed_rules: ids, removed_tags: tags },
});
const CERTIFICATES = { calls: 'GET /api/certificates' };
const CERTIFICATE = '/api/certificates/:domain';
type Certificate = Readonly<{ domain_url: string; state: string; is_own: boolean }>;
const certified = (each: Certificate) => ({
  ...{ domain: each.domain_url, ssl_mode: each.is_own ? 'custom' : 'auto', ...each },
});
const SITES = { calls: 'GET /api/auto-installer' };
const SCREENSHOT = 'GET /api/screenshot/*path';

/** Whether another certificate can take the place of the own one: with none to come, it stays. */
function isReplaceable({ domain }: Given, [{ certificates, is_issuing: isIssuing }]: Values): boolean {
  return isIssuing === true && named(certificates as Certificate[], domain).is_own;
}

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
  visitors('GET /api/stats/:domain'),
  visitors('GET /api/sites/:domain/visitors'),
  {
    is: 'GET /api/stats',
    steps: [{ calls: 'GET /api/logs' }],
    reply: ([{ written, logs }]) => ({
      domains: (logs as LogOfSite[]).map(({ domain_url: domain }) => ({ domain, available: written as boolean })),
    }),
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
  {
    is: 'GET /api/domains/:domain/status',
    steps: [DOMAINS, CERTIFICATES],
    reply: ([{ domains }, { certificates }], { domain }) => {
      const { suspended, suspended_by_operator: isHeld } = named(domains as Domain[], domain);
      const status = suspended || isHeld ? 'suspended' : 'active';
      return { domain, ssl: named(certificates as Certificate[], domain).state, status };
    },
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
    steps: [CERTIFICATES],
    reply: ([{ certificates }], { domain }) => certified(named(certificates, domain)),
  },
  {
    is: 'POST /api/domains/:domain/ssl',
    takes: ['action!'],
    choices: { action: ['auto'] },
    status: 202,
    steps: [
      CERTIFICATES,
      // Without its own certificate, one is ordered for the domain.
      { calls: `DELETE ${CERTIFICATE}`, params: atDomain, if: isReplaceable },
      {
        calls: `POST ${CERTIFICATE}/request`,
        params: atDomain,
        if: (given, values) => !isReplaceable(given, values),
      },
    ],
    reply: ([, removed, asked]) => certified(removed ?? asked),
  },
  {
    is: 'GET /api/waf',
    steps: [FIREWALL],
    reply: ([{ sites, ...more }]) => ({
      ...more,
      domains: Object.fromEntries((sites as Guarded[]).map(guarded).map(({ domain, status }) => [domain, status])),
    }),
  },
  {
    is: 'GET /api/waf/:domain',
    steps: [FIREWALL],
    reply: ([{ sites }], { domain }) => guarded(named(sites, domain)),
  },
  {
    is: 'POST /api/waf/:domain',
    takes: ['status!'],
    choices: { status: ON_OFF },
    steps: [
      {
        calls: 'PUT /api/site-firewall/:domain',
        params: atDomain,
        body: ({ status }) => ({ mode: status?.toLowerCase() }),
      },
    ],
    reply: ([site]) => guarded(site),
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
    reply: ([site]) => guarded(site),
  },
  {
    is: 'GET /api/waf/log/:domain',
    steps: [{ calls: 'GET /api/site-firewall/:domain/requests', params: atDomain }],
  },
  {
    is: 'GET /api/cache/varnish/domains',
    steps: [{ calls: 'GET /api/site-cache' }],
    reply: ([{ sites, ...more }]) => ({
      ...more,
      domain_statuses: Object.fromEntries(
        (sites as Cached[]).map(({ domain_url: domain, cached }) => [domain, onOff(cached)]),
      ),
    }),
  },
  {
    is: 'POST /api/cache/varnish/domains/:domain',
    takes: ['status!'],
    choices: { status: ON_OFF },
    steps: [
      {
        calls: 'PUT /api/site-cache/:domain',
        params: atDomain,
        body: ({ status }) => ({ cached: status?.toLowerCase() === 'on' }),
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
