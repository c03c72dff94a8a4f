create table waf_sites (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null  -- JSON; see `SiteWaf`
);
create index waf_sites_account on waf_sites (account_id);
