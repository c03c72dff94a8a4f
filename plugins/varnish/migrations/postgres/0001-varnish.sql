create table varnish_sites (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null     -- JSON of a boolean: whether Varnish stands before it
);
create index varnish_sites_account on varnish_sites (account_id);
