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
