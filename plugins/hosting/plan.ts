import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { HostingPlan } from './schema.ts';

/** Builds the reply for an account's plan; without a plan, limits are 0 and its texts are empty. */
export function planReply(
  account: Account,
  nameServers: readonly string[],
  { mysql = '', webserver = '' }: { readonly mysql?: string; readonly webserver?: string },
): HostingPlan {
  const { plan } = account;
  const [ns1 = '', ns2 = '', ns3 = '', ns4 = ''] = nameServers;
  return {
    context: account.username,
    ns1,
    ns2,
    ns3,
    ns4,
    plan_bandwidth: plan?.limits['bandwidth'] ?? 0,
    plan_cpu_limit: String(plan?.limits['cpu_limit'] ?? 0),
    plan_db_limit: plan?.limits['db_limit'] ?? 0,
    plan_description: plan?.description ?? '',
    plan_disk_limit: gigabytes(plan?.limits['disk_limit_mib'] ?? 0),
    plan_domains_limit: plan?.limits['domains_limit'] ?? 0,
    plan_email_limit: plan?.limits['email_limit'] ?? 0,
    plan_ftp_limit: plan?.limits['ftp_limit'] ?? 0,
    plan_inodes_limit: plan?.limits['inodes_limit'] ?? 0,
    plan_mysql: mysql,
    plan_name: plan?.name ?? '',
    plan_names_limit: plan?.limits['names_limit'] ?? 0,
    plan_ram_limit: gigabytes(plan?.limits['ram_limit_mib'] ?? 0),
    plan_webserver: webserver,
    plan_websites_limit: plan?.limits['websites_limit'] ?? 0,
  };
}

/** Returns `20 GB` or `1.5 GB` (2^30 bytes), and `0` for unlimited. */
export function gigabytes(mib: number): string {
  return mib === 0 ? '0' : `${Math.round((mib / 1024) * 100) / 100} GB`;
}
