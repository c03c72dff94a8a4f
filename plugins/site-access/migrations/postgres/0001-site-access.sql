create table site_access (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null   -- JSON; see `SiteAccess`
);
create index site_access_account on site_access (account_id);
