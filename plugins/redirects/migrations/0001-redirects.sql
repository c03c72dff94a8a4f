create table redirects (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  domain_id integer not null,       -- of the domain, whose id no later one gets
  path text not null,
  is_prefix integer not null check (is_prefix in (0, 1)), -- 1 = and everything below it
  target text not null,             -- absolute URL or path
  status integer not null,
  keeps_path integer not null check (keeps_path in (0, 1)),
  keeps_query integer not null check (keeps_query in (0, 1)),
  created_at integer not null,      -- milliseconds since 1970
  unique (domain_id, path)
) strict;
create index redirects_account on redirects (account_id);
create table main_addresses (
  domain_id integer primary key,
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON: one of the site's names, or null
) strict;
create index main_addresses_account on main_addresses (account_id);
