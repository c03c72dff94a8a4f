import { Type, type Static } from '../../kernel/schema.ts';

const Command = (what: string) =>
  Type.Array(Type.String(), {
    default: [],
    description: `${what}, as program and arguments; the driver's own when empty`,
  });

export const WebserverConfig = Type.Object(
  {
    driver: Type.String({
      enum: ['none', 'nginx', 'caddy'],
      default: 'none',
      description: 'The web server that is told of domains',
    }),
    vhost_folder: Type.String({
      default: '',
      description:
        'Folder that the web server includes; hostkeep-*.conf in it are ours. /etc/nginx/hostkeep.d or /etc/caddy/hostkeep.d when empty',
    }),
    template: Type.String({
      default: '',
      description:
        'File with {{domain}}, {{docroot}}, {{files_root}}, {{username}} and {{listen}}; the one beside the plugin when empty',
    }),
    listen: Type.String({
      default: '80',
      pattern: '^(([0-9.*]+|\\[[0-9a-fA-F:]+\\]):)?[0-9]{1,5}$',
      description: 'Port, or address and port, of the virtual hosts',
    }),
    check: Command('Command that checks the configuration'),
    reload: Command('Command that puts the configuration in force'),
    version: Command('Command that tells the version'),
    command_timeout_ms: Type.Integer({ default: 10_000, minimum: 100, maximum: 30_000 }),
    served_timeout_ms: Type.Integer({
      default: 5000,
      minimum: 0,
      maximum: 20_000,
      description: 'How long is waited until nginx answers with a new configuration; 0 = not at all',
    }),
    reconcile_seconds: Type.Integer({
      default: 300,
      minimum: 0,
      maximum: 86_400,
      description: 'How often files are compared with the domains, besides at the start; 0 = never',
    }),
  },
  { additionalProperties: false },
);
export type WebserverConfig = Static<typeof WebserverConfig>;
