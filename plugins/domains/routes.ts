import { DomainParams } from '../../kernel/areas/sites/domain-directory.ts';
import type { RouteSpecs } from '../../kernel/contract/route-spec.ts';
import { COMPRESSED } from '../../kernel/areas/etag-reply.ts';
import * as schema from './schema.ts';

const ADMIN = { address: 'admin', access: 'admin' } as const;
const OF_ACCOUNT = { ...ADMIN, at: 'named' } as const;
const ADDED = { body: schema.NewDomain, reply: schema.DomainEntry, status: 201, idempotencyKey: 'kept' } as const;
const ADDING = [
  ...(['invalid_domain', 'invalid_docroot', 'domain_exists', 'domain_limit_reached', 'names_limit_reached'] as const),
  ...(['webserver_failed', 'files_unavailable'] as const),
] as const;
const REMOVING = ['domain_not_found', 'domain_has_subdomains', 'domain_held', 'webserver_failed'] as const;
const OF_DOMAIN = { at: 'home', params: DomainParams, reply: schema.DomainEntry } as const;

export const domainRoutes = {
  list: {
    method: 'GET',
    path: '/api/domains',
    summary: 'List the domains of the account by name',
    description:
      'Main domains and subdomains, with their document roots, and how many the plan allows. With `limit`, page by page.',
    query: schema.ListQuery,
    headers: COMPRESSED,
    reply: schema.DomainList,
  },
  add: {
    ...ADDED,
    method: 'POST',
    path: '/api/domains/new',
    at: 'home',
    summary: 'Add a domain and create its document root',
    description:
      "The name is converted to lower case and punycode. A subdomain of one of the account's own domains does not count " +
      'against `domains_limit` of the plan, but every name counts against its `names_limit`. A name is in use if it ' +
      'equals a domain of another account, or is a parent or subdomain of one.',
    errors: ADDING,
  },
  remove: {
    method: 'POST',
    path: '/api/domains/delete',
    at: 'home',
    summary: 'Remove a domain and keep its files',
    description:
      'A domain with subdomains is refused, naming them in `subdomains`, because they would become main domains, ' +
      'which count against the limit of the plan. `with_subdomains` removes them with it, or none of them.',
    body: schema.DomainToDelete,
    reply: schema.DeletedDomain,
    errors: REMOVING,
  },
  suspend: {
    ...OF_DOMAIN,
    method: 'PUT',
    path: '/api/domains/:domain/suspended',
    summary: 'Suspend a domain, or lift its suspension',
    description:
      'Visitors of a suspended domain get 503 and a page that says so. Its files, certificate and logs stay, and the ' +
      'certificate is renewed.',
    body: schema.DomainSuspension,
    errors: ['domain_not_found', 'webserver_failed'],
  },
  setDocroot: {
    ...OF_DOMAIN,
    method: 'PUT',
    path: '/api/domains/:domain/docroot',
    summary: 'Serve a domain from another folder',
    description:
      'The folder is created if it is missing; no file is moved. Served at once; if the web server refuses it, nothing is ' +
      'changed.',
    body: schema.DomainDocroot,
    errors: ['domain_not_found', 'invalid_docroot', 'webserver_failed', 'files_unavailable'],
  },
  addAlias: {
    at: 'home',
    reply: schema.DomainEntry,
    method: 'POST',
    path: '/api/aliases',
    summary: 'Have the site of a domain answer at a further name',
    description:
      'Files, PHP, redirects and logs are those of the domain, and its next certificate is for this name, too, if that leads ' +
      'here. Which names can be added, POST /api/domains/new says; an alias counts against `names_limit` alone.',
    idempotencyKey: 'kept',
    body: schema.NewAlias,
    status: 201,
    errors: [
      'domain_not_found',
      'invalid_domain',
      'domain_exists',
      'names_limit_reached',
      'aliases_limit_reached',
      'webserver_failed',
    ],
  },
  removeAlias: {
    at: 'home',
    reply: schema.DomainEntry,
    method: 'DELETE',
    path: '/api/aliases/:alias',
    summary: 'Remove an alias of a domain',
    description: 'The name is free again, for other accounts as well.',
    params: schema.AliasParams,
    errors: ['alias_not_found', 'webserver_failed'],
  },
  setSpelling: {
    ...OF_DOMAIN,
    method: 'PUT',
    path: '/api/domains/:domain/shown-as',
    feature: 'capitalize_domains',
    summary: 'Choose in which case a domain is written in the panel',
    description: 'Visitors and programs notice nothing: case does not count in names.',
    body: schema.DomainSpelling,
    errors: ['domain_not_found', 'invalid_domain'],
  },
  search: {
    ...ADMIN,
    method: 'GET',
    path: '/api/domains',
    summary: 'Find the owner of a domain',
    description: 'Domains of all accounts by name, each with the account that has it.',
    query: schema.DomainsQuery,
    reply: schema.DomainPage,
  },
  ofAccount: {
    ...ADMIN,
    method: 'GET',
    path: '/api/accounts/:username/domains',
    summary: 'List the domains of an account by name',
    description: 'What the account itself gets from GET /api/domains.',
    params: schema.AccountParams,
    query: schema.ListQuery,
    headers: COMPRESSED,
    reply: schema.DomainList,
    errors: ['account_not_found'],
  },
  addTo: {
    ...OF_ACCOUNT,
    ...ADDED,
    method: 'POST',
    path: '/api/accounts/:username/domains',
    summary: 'Add a domain to an account and create its document root',
    description:
      'What the account itself can add by POST /api/domains/new, and within its plan, also while the account is suspended or its plan ' +
      'lacks the feature `domains`.',
    params: schema.AccountParams,
    errors: ['account_not_found', 'account_moving', ...ADDING],
  },
  removeFrom: {
    ...OF_ACCOUNT,
    method: 'DELETE',
    path: '/api/accounts/:username/domains/:domain',
    summary: 'Remove a domain of an account and keep its files',
    description:
      'As POST /api/domains/delete does for the account itself. Lift a suspension by an administrator before.',
    params: schema.AccountDomainParams,
    query: schema.RemovalQuery,
    reply: schema.DeletedDomain,
    errors: ['account_not_found', 'account_moving', ...REMOVING],
  },
  hold: {
    ...OF_ACCOUNT,
    method: 'PUT',
    path: '/api/accounts/:username/domains/:domain/suspended',
    summary: 'Suspend a domain of an account, or lift that suspension',
    description:
      'Visitors get 503 until it is lifted, whatever the owner does: the suspension of the owner is another one.',
    params: schema.AccountDomainParams,
    body: schema.DomainSuspension,
    reply: schema.DomainEntry,
    errors: ['account_not_found', 'domain_not_found', 'webserver_failed'],
  },
  docker: {
    method: 'GET',
    path: '/api/docker_domains',
    summary: 'List the main domains and subdomains of the account',
    description: 'Each subdomain with the main domain to which it belongs.',
    headers: COMPRESSED,
    reply: schema.DockerDomains,
  },
} as const satisfies RouteSpecs;
