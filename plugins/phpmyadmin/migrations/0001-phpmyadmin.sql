create table phpmyadmin_sessions (
  account_id integer primary key references accounts (id) on delete cascade,
  domain_id integer not null,
  name text not null unique,          -- a part of the address
  created_at integer not null,        -- milliseconds since 1970
  expires_at integer not null,
  is_ending integer not null check (is_ending in (0, 1))
) strict;
