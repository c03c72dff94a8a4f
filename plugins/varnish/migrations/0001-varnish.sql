create table varnish_sites (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON of a boolean: whether Varnish stands before it
) strict;
create index varnish_sites_account on varnish_sites (account_id);
