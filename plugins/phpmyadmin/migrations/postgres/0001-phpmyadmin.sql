create table phpmyadmin_sessions (
  account_id bigint primary key references accounts (id) on delete cascade,
  domain_id bigint not null,
  name text collate "C" not null unique,  -- a part of the address
  created_at bigint not null,             -- milliseconds since 1970
  expires_at bigint not null,
  is_ending bigint not null check (is_ending in (0, 1))
);
