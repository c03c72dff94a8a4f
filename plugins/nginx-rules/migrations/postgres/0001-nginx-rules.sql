create table nginx_rules (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null     -- JSON of a string: what the owner wrote
);
create index nginx_rules_account on nginx_rules (account_id);
