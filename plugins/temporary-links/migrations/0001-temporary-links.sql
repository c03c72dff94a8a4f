create table temporary_links (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  name text not null unique,        -- host name below the operator's preview domain
  created_at integer not null,      -- milliseconds since 1970
  expires_at integer not null
) strict;
create index temporary_links_account on temporary_links (account_id);
create index temporary_links_expiry on temporary_links (expires_at);
