create table site_access (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON; see `SiteAccess`
) strict;
create index site_access_account on site_access (account_id);
