import type { Address } from '../../kernel/contract/route-spec.ts';

/** Operations that are ours at the same path, so that the peer's are missing at the other one only. */
export const TAKEN: readonly string[] = ['GET /api/backups', 'POST /api/backups'];

type Paths = Readonly<Record<string, readonly string[]>>;

/** A path and all below it. */
const all = (...paths: readonly string[]): string[] => paths.flatMap((path) => [path, `${path}/*rest`]);
const DOMAIN = '/api/domains/:domain';

const user: Paths = {
  mysql: all('/api/mysql'),
  postgresql: all('/api/postgresql'),
  domains: ['status', 'vhost', 'tlsa-hash'].map((each) => `${DOMAIN}/${each}`),
  redirects: [`${DOMAIN}/redirect`],
  ssl: [`${DOMAIN}/ssl`],
  dns: all(`${DOMAIN}/dns`, '/api/dns', '/api/dynamic-dns'),
  emails: all('/api/emails', '/api/webmail'),
  ftp: all('/api/ftp'),
  crons: all('/api/crons'),
  cache: all('/api/cache'),
  containers: all('/api/containers', '/api/docker'),
  waf: all('/api/waf', '/api/ip-blocker'),
  php: [
    ...['/api/php/default', '/api/php/install', '/api/php/apps/*rest', '/api/php/:version/ini'],
    ...['/api/php/:version/options', ...all('/api/php/:version/extensions')],
  ],
  'account changes': ['PATCH /api/account'],
  passkeys: all('/api/account/passkeys'),
  mcp: all('/api/account/mcp'),
  notifications: ['/api/account/notifications'],
  'usage history': ['/api/usage/history'],
  malware_scan: all('/api/malware-scanner'),
  backups: all('/api/backups', '/api/backup-wizard'),
  filemanager: ['/api/files/*rest', ...all('/api/file-manager', '/api/trash')],
  webserver_conf: all('/api/webserver-conf'),
  process_manager: all('/api/process-manager'),
  fix_permissions: all('/api/fix-permissions'),
  sites: ['/api/sites/*rest'],
  autoinstaller: all(
    '/api/drupal',
    '/api/joomla',
    '/api/opencart',
    '/api/nextcloud',
    '/api/prestashop',
    '/api/helpers',
  ),
  wordpress: ['/api/wordpress/*rest', ...all('/api/wp-cli')],
  pm2: all('/api/pm2', '/api/nodejs', '/api/python'),
  'visitors of all domains': ['/api/stats'],
  services: all('/api/services'),
  website_builder: all('/api/website-builder'),
  'tour of the dashboard': ['POST /api/dashboard/tour/complete'],
  plugins: ['/api/plugins'],
  search: ['GET /api/search/:what'],
};

const admin: Paths = {
  'domains of other accounts': ['/api/domains/*rest'],
  containers: [...all('/api/users/:username/containers'), ...all('/api/docker')],
  dns: all('/api/dns'),
  emails: all('/api/emails'),
  security: all('/api/security'),
  services: [...all('/api/services'), '/api/service/*rest'],
  'addresses of accounts': ['/api/ips'],
  notifications: all('/api/notifications'),
  server: ['/api/server/*rest'],
  settings: ['/api/settings/*rest'],
  license: all('/api/license'),
  support: ['/api/support/*rest'],
  import: ['/api/import/*rest'],
};

/** Paths of OpenPanel that nothing here provides, by feature: patterns, with a method where others have an answer. */
export const MISSING: Readonly<Record<Address, Paths>> = { user, admin };
