import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

export const HostingConfig = Type.Object(
  {
    name_servers: Type.Array(Type.String(), {
      maxItems: 4,
      default: [],
      description: 'Name servers ns1 to ns4 of the node',
    }),
    ip_address: Type.String({
      default: '',
      description: 'Public IP address of the node; empty = the first public address of its interfaces',
    }),
  },
  { additionalProperties: false },
);

export const ServerInfo = NamedObject('ServerInfo', {
  ip: Type.String(),
  load_avg: Type.String({ description: 'Over 1, 5 and 15 minutes, e.g. 0.52, 0.40, 0.36' }),
  machine: Type.String({ description: 'Hardware name, e.g. x86_64' }),
  node: Type.String({ description: 'Host name' }),
  processor: Type.String({ description: 'Manufacturer and model' }),
  release: Type.String({ description: "Release of the operating system's kernel" }),
  system: Type.String({ description: 'e.g. Linux' }),
  distribution: Type.String({ description: 'e.g. Debian GNU/Linux 12 (bookworm); empty until known' }),
  uptime: Type.String({ description: 'e.g. 3 days, 4:05' }),
  version: Type.String({ description: "Version text of the operating system's kernel" }),
});
export type ServerInfo = Static<typeof ServerInfo>;

const NameServer = Type.String({ description: 'Empty when unset' });
const Limit = (what: string) => Type.Integer({ description: `${what}; 0 = unlimited` });
/** A limit of the plan, also if the account lacks the feature; a client tells by the dashboard's member. */
const LimitOf = (feature: string, what: string) =>
  Type.Integer({
    description: `${what}; 0 = unlimited. Not included unless user_features of /api/dashboard names ${feature}`,
  });

export const HostingPlan = NamedObject('HostingPlan', {
  context: Type.String({ description: "Name of the account's container context, equal to the user name" }),
  ns1: NameServer,
  ns2: NameServer,
  ns3: NameServer,
  ns4: NameServer,
  plan_bandwidth: Limit('Network speed in Mbit/s'),
  plan_cpu_limit: Type.String({ description: 'CPUs, e.g. 2 or 0.5; 0 = unlimited' }),
  plan_db_limit: LimitOf('mysql', 'Databases'),
  plan_description: Type.String(),
  plan_disk_limit: Type.String({ description: 'e.g. 20 GB (2^30 bytes); 0 = unlimited' }),
  plan_domains_limit: LimitOf('domains', 'Domains'),
  plan_email_limit: LimitOf('emails', 'Mailboxes'),
  plan_ftp_limit: LimitOf('ftp', 'FTP accounts'),
  plan_inodes_limit: Limit('Files and folders'),
  plan_mysql: Type.String({ description: 'Kind of the database server, such as mysql; empty if there is none' }),
  plan_name: Type.String(),
  plan_names_limit: LimitOf('domains', 'Domains, their subdomains and aliases together'),
  plan_ram_limit: Type.String({ description: 'e.g. 3 GB (2^30 bytes); 0 = unlimited' }),
  plan_webserver: Type.String({ description: 'Web server of the domains, such as nginx; empty if there is none' }),
  plan_websites_limit: LimitOf('websites', 'Websites'),
});
export type HostingPlan = Static<typeof HostingPlan>;

const Port = Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()], {
  description: 'Published port on the host; null when not allocated',
});

export const Ports = NamedObject('Ports', {
  phpmyadmin_port: Port,
  remote_mysql_port: Port,
  remote_ssh_port: Port,
  webterminal_port: Port,
});
