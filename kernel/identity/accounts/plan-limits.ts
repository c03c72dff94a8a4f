import { Type, type Static } from '../../schema.ts';

const Limit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 40, description: `${description}; 0 = unlimited` });

/** The settings of a plan that an operator can change. */
export const PlanLimits = Type.Object(
  {
    description: Type.String({ maxLength: 255, description: 'What the plan is for, in a few words' }),
    cpu_limit: Type.Number({ minimum: 0, maximum: 4096, description: 'CPUs; 0 = unlimited' }),
    ram_limit_mib: Limit('Memory in MiB'),
    disk_limit_mib: Limit('Disk in MiB'),
    inodes_limit: Limit('Files and folders'),
    bandwidth: Limit('Network speed in Mbit/s'),
    domains_limit: Limit('Domains, not counting subdomains of own domains'),
    names_limit: Limit('Domains, their subdomains and aliases together'),
    websites_limit: Limit('Websites'),
    db_limit: Limit('Databases'),
    email_limit: Limit('Mailboxes'),
    ftp_limit: Limit('FTP accounts'),
    mysql: Type.String({ maxLength: 64, description: 'Database server, e.g. mariadb' }),
    webserver: Type.String({ maxLength: 64, description: 'Web server, e.g. nginx' }),
  },
  { additionalProperties: false },
);
export type PlanLimits = Static<typeof PlanLimits>;
