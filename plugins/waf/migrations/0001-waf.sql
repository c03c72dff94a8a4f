create table waf_sites (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON; see `SiteWaf`
) strict;
create index waf_sites_account on waf_sites (account_id);
