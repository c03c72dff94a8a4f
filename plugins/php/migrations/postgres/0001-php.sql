create table php_sites (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  version text collate "C" not null,  -- such as 8.2; empty = no PHP
  memory_mib bigint not null,
  upload_mib bigint not null,
  seconds bigint not null,  -- that a script may take
  shows_errors bigint not null check (shows_errors in (0, 1)),
  timezone text collate "C" not null,
  ini text collate "C" not null  -- the php.ini section as the customer wrote it
);
create index php_sites_account on php_sites (account_id);
