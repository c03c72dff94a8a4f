create table domains (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null unique,
  reversed text not null,           -- labels from the right, com.example.shop, so that a domain's subdomains are one range
  docroot text not null,            -- below the files root, '' = the root itself
  is_main integer not null check (is_main in (0, 1)), -- 0 = below another domain of the account
  state text not null check (state in ('active', 'adding', 'removing')),
  claimed_by text not null,         -- process that is adding or removing it
  created_at integer not null       -- milliseconds since 1970
) strict;
create index domains_reversed on domains (reversed, account_id, is_main);
create index domains_account on domains (account_id, name);
create index domains_main on domains (account_id) where is_main = 1;
create index domains_pending on domains (state) where state <> 'active';
