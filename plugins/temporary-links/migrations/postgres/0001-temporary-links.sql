create table temporary_links (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  name text collate "C" not null unique,  -- host name below the operator's preview domain
  created_at bigint not null,  -- milliseconds since 1970
  expires_at bigint not null
);
create index temporary_links_account on temporary_links (account_id);
create index temporary_links_expiry on temporary_links (expires_at);
