import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { WebserverConfig } from './schema.ts';

/** The differences between web servers: the driver's defaults and the configuration. */
export interface Driver {
  readonly name: string;
  readonly vhostFolder: string;
  /** Below which the web server sees the files of accounts, at their own paths; empty = it sees them where they are. */
  readonly filesView: string;
  /** The value of `listen` in a virtual host. */
  readonly listen: string;
  readonly templateFile: string;
  /** For domains of suspended accounts. */
  readonly suspendedTemplateFile: string;
  /** Settings that the virtual hosts share; `undefined` if the web server has no place for them. */
  readonly commonFile: string | undefined;
  readonly check: readonly string[];
  readonly reload: readonly string[];
  readonly version: readonly string[];
  /**
   * Renders a virtual host whose reply is its token, which shows that a configuration is active. `undefined` where the
   * reload command itself waits for that.
   */
  readonly beacon: ((token: string) => string) | undefined;
}

/** The addresses of IPv6, none where it is switched off. */
const IPV6 = '/proc/net/if_inet6';

const DRIVERS = {
  nginx: {
    hasCommon: true,
    vhostFolder: '/etc/nginx/hostkeep.d',
    filesView: '',
    check: ['nginx', '-t', '-q'],
    reload: ['nginx', '-s', 'reload'],
    version: ['nginx', '-v'],
    beacon: (token: string, listen: string) =>
      `server {\n    listen ${listen};\n    server_name ${token}.hostkeep.invalid;\n    access_log off;\n    return 200 ${token};\n}\n`,
  },
  caddy: {
    hasCommon: false,
    vhostFolder: '/etc/caddy/hostkeep.d',
    filesView: '/run/hostkeep/sites',
    check: ['caddy', 'validate', '--config', '/etc/caddy/Caddyfile'],
    reload: ['caddy', 'reload', '--config', '/etc/caddy/Caddyfile'],
    version: ['caddy', 'version'],
    beacon: undefined,
  },
} as const;

/** Returns `undefined` for the driver none. */
export function findDriver(config: WebserverConfig): Driver | undefined {
  const name = config.driver;
  if (name !== 'nginx' && name !== 'caddy') return undefined;
  const defaults = DRIVERS[name];
  const listen = bothFamilies(config.listen);
  const { beacon } = defaults;
  const command = (which: 'check' | 'reload' | 'version') =>
    config[which].length > 0 ? config[which] : defaults[which];
  return {
    name,
    vhostFolder: config.vhost_folder || defaults.vhostFolder,
    filesView: config.files_view || defaults.filesView,
    listen,
    templateFile: config.template || shippedFile(`${name}-vhost.conf`),
    suspendedTemplateFile: config.suspended_template || shippedFile(`${name}-suspended.conf`),
    commonFile: defaults.hasCommon ? shippedFile(`${name}-common.conf`) : undefined,
    check: command('check'),
    reload: command('reload'),
    version: command('version'),
    beacon: config.served_timeout_ms > 0 && beacon !== undefined ? (token) => beacon(token, listen) : undefined,
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
