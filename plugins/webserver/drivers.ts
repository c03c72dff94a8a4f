import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SiteLogs, SitePhp } from '../../kernel/contract/points/web-server-part.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { caddyBody, caddyPhp, nginxBody, nginxPhp } from './rules/php-rules.ts';
import type { WebserverConfig } from './schema.ts';
import { connectAddress } from './web-server.ts';

/** The differences between web servers: the driver's defaults and the configuration. */
export interface Driver {
  readonly name: DriverName;
  readonly vhostFolder: string;
  /** Below which the web server sees the files of accounts, at their own paths; empty = it sees them where they are. */
  readonly filesView: string;
  readonly httpPort: number;
  /** The value of `listen` in a virtual host. */
  readonly listen: string;
  /** The same for TLS; empty = no site answers over TLS. */
  readonly listenTls: string;
  readonly tlsPort: number;
  readonly templateFile: string;
  readonly suspendedTemplateFile: string;
  /** Settings that the virtual hosts share; `undefined` if there are none. */
  readonly commonFile: string | undefined;
  /** Their file in the folder of the virtual hosts. */
  readonly commonName: string;
  readonly check: readonly string[];
  readonly reload: readonly string[];
  /** The file with the process id of the server, which a signal has read its configuration again; empty where none does. */
  readonly pidFile: string;
  /** Whether a reload refuses what a check does, as the programs of web servers do; those that an operator has instead may not. */
  readonly reloadChecks: boolean;
  readonly version: readonly string[];
  /** Renders a virtual host whose reply is its token, which shows that a configuration is active. */
  readonly beacon: (token: string) => string;
  /** The logs of all virtual hosts; `undefined` if there are none. */
  readonly logFiles: SiteLogs | undefined;
  /** Directives with which a virtual host writes them. */
  readonly logs: string;
  /** Adds names to that of the domain in a template, wherever that stands for the address of the site. */
  readonly named: (source: string, names: readonly string[]) => string;
  /** Renders what tells search engines to keep a name of a site out. */
  readonly preview: (name: string) => string;
  /** Renders the largest body of a request. */
  readonly body: (mib: number) => string;
  /** Renders how a virtual host runs scripts below a document root of this host, or that it refuses to show them. */
  readonly php: (php: SitePhp | null, docroot: string) => string;
  /** Whether it gets certificates by itself. */
  readonly certifies: boolean;
  /** The user who must read the keys; empty for root. */
  readonly user: string;
  /** Whether a change counts only once the server serves the token of its reload; otherwise the command waits for that. */
  readonly awaitsServed: boolean;
}

/** The addresses of IPv6, none where it is switched off. */
const IPV6 = '/proc/net/if_inet6';

const DRIVERS = {
  nginx: {
    commonName: 'hostkeep--common.conf',
    certifies: false,
    user: '',
    vhostFolder: '/etc/nginx/hostkeep.d',
    filesView: '',
    check: ['nginx', '-t', '-q'],
    reload: ['nginx', '-s', 'reload'],
    pidFile: '/run/nginx.pid',
    version: ['nginx', '-v'],
    awaitsServed: true,
    logs: ({ access, error }: SiteLogs) =>
      `if ($hostkeep_forges) {\n        return 404;\n    }\n    access_log "${access}" hostkeep buffer=64k flush=500ms if=$hostkeep_is_asked;\n    error_log "${error}";`,
    beacon: (token: string, listen: string) =>
      `server {\n    listen ${listen};\n    server_name ${token}.hostkeep.invalid;\n    access_log off;\n    return 200 ${token};\n}\n`,
    preview: (name: string) =>
      `set $hostkeep_robots "";\n    if ($host = "${name}") {\n        set $hostkeep_robots noindex;\n    }\n    add_header X-Robots-Tag $hostkeep_robots always;`,
    named: (source: string, names: readonly string[]) =>
      source.replace(/\bserver_name\s[^;{]*\{\{domain\}\}/g, (found) => [found, ...names].join(' ')),
    body: nginxBody,
    php: (php: SitePhp | null, _docroot: string, errorLog?: string) => nginxPhp(php, errorLog),
  },
  caddy: {
    commonName: 'hostkeep-logs.options',
    certifies: true,
    user: 'caddy',
    vhostFolder: '/etc/caddy/hostkeep.d',
    filesView: '/run/hostkeep/sites',
    check: ['caddy', 'validate', '--config', '/etc/caddy/Caddyfile'],
    reload: ['caddy', 'reload', '--config', '/etc/caddy/Caddyfile'],
    pidFile: '',
    version: ['caddy', 'version'],
    awaitsServed: false,
    logs: (_files: SiteLogs) => 'log',
    beacon: (token: string, _: string, port: number) =>
      `http://${token}.hostkeep.invalid:${port} {\n\trespond ${token}\n}\n`,
    preview: (name: string) => `@preview host ${name}\n\theader @preview X-Robots-Tag noindex`,
    named: (source: string, names: readonly string[]) =>
      source.replace(/^(\S*)\{\{domain\}\}(\S*)(?=.*\{$)/gm, (found, before: string, after: string) =>
        [found, ...names.map((name) => before + name + after)].join(', '),
      ),
    body: caddyBody,
    php: (php: SitePhp | null, docroot: string, _errorLog?: string) => caddyPhp(php, docroot),
  },
} as const;

type DriverName = keyof typeof DRIVERS;
const isName = (name: string): name is DriverName => name in DRIVERS;
/** Where packages put web servers; not all of them are in the PATH of a service. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

/** Returns `undefined` for the driver none, and for auto where no web server is installed in the folders; of several, it takes the first. */
export function findDriver(config: WebserverConfig, folders: readonly string[] = FOLDERS): Driver | undefined {
  const isInstalled = (each: string) => folders.some((folder) => existsSync(join(folder, each)));
  const name = config.driver === 'auto' ? Object.keys(DRIVERS).find(isInstalled) : config.driver;
  if (name === undefined || !isName(name)) return undefined;
  const defaults = DRIVERS[name];
  const [listen, { port: httpPort }] = [bothFamilies(config.listen), connectAddress(config.listen)];
  const { log_folder: logs } = config;
  const logFolder = join(logs, defaults.user); // a folder of its own if it rotates by itself
  const logFiles =
    logs === ''
      ? undefined
      : { format: name, access: join(logFolder, 'access.log'), error: join(logFolder, 'error.log') };
  const listenTls = config.listen_https && bothFamilies(config.listen_https);
  const vhostFolder = config.vhost_folder || defaults.vhostFolder;
  const command = (which: 'check' | 'reload' | 'version') =>
    config[which].length > 0 ? config[which] : defaults[which];
  const reloadChecks = basename(command('reload')[0] ?? '') === defaults.reload[0];
  // a command of the operator's may be for another nginx than the default one
  const pidFile = name === 'nginx' && (config.pid_file || (config.reload.length === 0 && defaults.pidFile));
  return {
    ...defaults,
    name,
    vhostFolder,
    filesView: config.files_view || defaults.filesView,
    httpPort,
    listen,
    listenTls,
    tlsPort: connectAddress(config.listen_https).port,
    templateFile: config.template || shippedFile(`${name}-vhost.conf`),
    suspendedTemplateFile: config.suspended_template || shippedFile(`${name}-suspended.conf`),
    commonFile: name === 'nginx' || logFiles ? shippedFile(`${name}-common.conf`) : undefined,
    check: command('check'),
    reload: command('reload'),
    reloadChecks,
    pidFile: (reloadChecks && pidFile) || '',
    version: command('version'),
    beacon: (token) => defaults.beacon(token, listen, httpPort),
    logFiles,
    logs: logFiles === undefined ? '' : defaults.logs(logFiles),
    php: (php, docroot) => defaults.php(php, docroot, logFiles?.error),
    awaitsServed: defaults.awaitsServed && config.served_timeout_ms > 0,
  };
}

/** Adds IPv6 to a port without an address, where the system has it; nginx takes a port alone for IPv4 only. */
function bothFamilies(listen: string): string {
  const isPort = /^\d+$/.test(listen);
  const hasIpv6 = existsSync(IPV6) && readFileSync(IPV6, 'utf8') !== '';
  return isPort && hasIpv6 ? `${listen};\n    listen [::]:${listen}` : listen;
}

/** Returns the path of a template of this plugin. */
export const shippedFile = (file: string): string => join(projectDir, 'plugins/webserver/templates', file);
