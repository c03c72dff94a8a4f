import { Type, type Static } from '../../kernel/schema.ts';

const Command = (purpose: string) =>
  Type.Array(Type.String(), {
    default: [],
    description: `${purpose}, as program and arguments; empty = the driver's default`,
  });

const OCTET = '(25[0-5]|(2[0-4]|1[0-9]|[1-9])?[0-9])';
const PORT = '(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';
const LISTEN = `((\\*|(${OCTET}\\.){3}${OCTET}|\\[[0-9a-fA-F:]+\\]):)?${PORT}`;
export const WebserverConfig = Type.Object(
  {
    driver: Type.String({
      enum: ['none', 'auto', 'nginx', 'caddy'],
      default: 'none',
      description: 'The web server that serves the domains; auto = the one that is installed, nginx before Caddy',
    }),
    vhost_folder: Type.String({
      default: '',
      description:
        'Folder that the web server includes; Hostkeep owns hostkeep-*.conf in it. Empty = /etc/nginx/hostkeep.d or /etc/caddy/hostkeep.d',
    }),
    files_view: Type.String({
      default: '',
      pattern: '^(/.*)?$',
      description:
        'Folder below which the web server sees the files of accounts at their own paths, through a mount with the option nosymfollow. Empty = /run/hostkeep/sites for Caddy, which cannot tell whose file a link leads to; none for nginx',
    }),
    template: Type.String({
      default: '',
      description:
        'Template of a virtual host: a file with {{domain}}, {{docroot}}, {{files_root}}, {{username}}, {{listen}}, {{tls}}, {{vhost_folder}}, {{logs}}, {{redirects}} and {{php}}; empty = the template of the plugin',
    }),
    suspended_template: Type.String({
      default: '',
      description:
        'The same for suspended domains and those of suspended accounts, which serve {{vhost_folder}}/hostkeep-suspended.html; empty = the template of the plugin',
    }),
    suspended_page: Type.String({
      default: '',
      description:
        'HTML file that visitors of suspended domains, and of those of suspended accounts, see; empty = the page of the plugin',
    }),
    log_folder: Type.String({
      default: '',
      pattern: '^(/[A-Za-z0-9._/-]*)?$',
      description:
        'Folder in which nginx writes access.log and error.log of all domains, as only its owner may, and Caddy in caddy below it; empty = none are written',
    }),
    listen: Type.String({
      default: '80',
      pattern: `^${LISTEN}$`,
      description: 'Port, or address and port, of the virtual hosts',
    }),
    listen_https: Type.String({
      default: '443',
      pattern: `^(${LISTEN})?$`,
      description: 'The same for HTTPS; empty = no domain is served over HTTPS',
    }),
    check: Command('Command that checks the configuration'),
    reload: Command('Command that reloads the configuration'),
    pid_file: Type.String({
      default: '',
      pattern: '^(/.*)?$',
      description:
        'File with the process id of nginx, which a reload signals while the check runs; empty = /run/nginx.pid, or none where a command for reloads is set',
    }),
    version: Command('Command that prints the version'),
    command_timeout_ms: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 30_000,
      description: 'Time limit for each of these commands',
    }),
    served_timeout_ms: Type.Integer({
      default: 5000,
      minimum: 0,
      maximum: 20_000,
      description: 'How long to wait until nginx serves a new configuration; 0 = do not wait',
    }),
    reconcile_seconds: Type.Integer({
      default: 300,
      minimum: 0,
      maximum: 86_400,
      description:
        'Interval at which files are compared with the domains, in addition to the start; 0 = only at the start',
    }),
  },
  { additionalProperties: false },
);
export type WebserverConfig = Static<typeof WebserverConfig>;
