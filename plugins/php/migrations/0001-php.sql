create table php_sites (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  version text not null,            -- such as 8.2; empty = no PHP
  memory_mib integer not null,
  upload_mib integer not null,
  seconds integer not null,         -- that a script may take
  shows_errors integer not null check (shows_errors in (0, 1)),
  timezone text not null,
  ini text not null                 -- the php.ini section as the customer wrote it
) strict;
create index php_sites_account on php_sites (account_id);
