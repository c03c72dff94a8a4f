create table site_settings (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null     -- JSON; see `KeptSettings`
);
create index site_settings_account on site_settings (account_id);
