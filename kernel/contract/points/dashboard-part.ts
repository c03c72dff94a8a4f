/** Members of the dashboard. A provider supplies a member only for accounts that have its feature. */
export interface DashboardPart {
  /** Databases at servers of one kind; what is shown is the sum of all kinds. */
  db_usage?: number;
  domains?: { docroot: string; domain_id: number; domain_url: string }[];
  email_count?: number;
  ftp_count?: number;
  /** Public address of the node. */
  ip_address?: string;
  last_ip?: string;
  locale?: string;
  maindomains?: { domain_url: string; tld: string }[];
  /** ns1 to ns4, without those that are not set. */
  name_servers?: readonly string[];
  subdomains?: { domain_url: string; tld: string; main_domain: string }[];
  twofa_enabled?: true | null;
  /** [site path, kind of application] */
  user_websites?: [string, string][];
}
