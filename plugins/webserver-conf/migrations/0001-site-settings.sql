create table site_settings (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON; see `KeptSettings`
) strict;
create index site_settings_account on site_settings (account_id);
