import { join } from 'node:path';
import { projectDir } from '../../kernel/system/project-dir.ts';
import type { WebserverConfig } from './schema.ts';

/** What differs between web servers, settled by the configuration. */
export interface Driver {
  readonly name: string;
  readonly vhostFolder: string;
  readonly templateFile: string;
  readonly check: readonly string[];
  readonly reload: readonly string[];
  readonly version: readonly string[];
  /** A virtual host that answers its own name, to tell when a configuration is in force; none where `reload` itself waits for that. */
  readonly beacon: ((token: string, listen: string) => string) | undefined;
}

const DRIVERS = {
  nginx: {
    vhostFolder: '/etc/nginx/hostkeep.d',
    check: ['nginx', '-t', '-q'],
    reload: ['nginx', '-s', 'reload'],
    version: ['nginx', '-v'],
    beacon: (token: string, listen: string) =>
      `server {\n    listen ${listen};\n    server_name ${token}.hostkeep.invalid;\n    access_log off;\n    return 200 ${token};\n}\n`,
  },
  caddy: {
    vhostFolder: '/etc/caddy/hostkeep.d',
    check: ['caddy', 'validate', '--config', '/etc/caddy/Caddyfile'],
    reload: ['caddy', 'reload', '--config', '/etc/caddy/Caddyfile'],
    version: ['caddy', 'version'],
    beacon: undefined,
  },
} as const;

/** `undefined` for the driver none. */
export function driverOf(config: WebserverConfig): Driver | undefined {
  const name = config.driver;
  if (name !== 'nginx' && name !== 'caddy') return undefined;
  const defaults = DRIVERS[name];
  const command = (which: 'check' | 'reload' | 'version') =>
    config[which].length > 0 ? config[which] : defaults[which];
  return {
    name,
    vhostFolder: config.vhost_folder || defaults.vhostFolder,
    templateFile: config.template || join(projectDir, 'plugins/webserver', `${name}-vhost.conf`),
    check: command('check'),
    reload: command('reload'),
    version: command('version'),
    beacon: config.served_timeout_ms > 0 ? defaults.beacon : undefined,
  };
}
