create table domains (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null unique,
  reversed text not null,           -- labels from the right, com.example.shop, so that a domain's subdomains are one range
  docroot text not null,            -- below the files root, '' = the root itself
  is_main integer not null check (is_main in (0, 1)), -- 0 = below another domain of the account
  state text not null check (state in ('active', 'adding', 'removing')),
  claimed_by text not null,         -- process that is adding or removing it
  created_at integer not null,      -- milliseconds since 1970
  suspended_at integer,             -- milliseconds since 1970; null = it is served
  shown_as text not null default '', -- the name as its owner writes it; '' = as it is
  held_at integer                   -- since when an operator has it suspended, milliseconds since 1970; null = not
) strict;
create index domains_reversed on domains (reversed, account_id, is_main);
create index domains_account on domains (account_id, name);
create index domains_main on domains (account_id) where is_main = 1;
create index domains_pending on domains (state) where state <> 'active';

create table domain_aliases (
  id integer primary key autoincrement,
  domain_id integer not null references domains (id) on delete cascade,
  account_id integer not null references accounts (id) on delete cascade,
  name text not null unique,
  reversed text not null,           -- as in domains
  created_at integer not null       -- milliseconds since 1970
) strict;
create index domain_aliases_domain on domain_aliases (domain_id);
create index domain_aliases_reversed on domain_aliases (reversed, account_id);
create index domain_aliases_account on domain_aliases (account_id);
