create table nginx_rules (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON of a string: what the owner wrote
) strict;
create index nginx_rules_account on nginx_rules (account_id);
