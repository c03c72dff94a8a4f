create table proxied_paths (
  domain_id bigint primary key,  -- of the domain, whose id no later one gets
  account_id bigint not null references accounts (id) on delete cascade,
  value text collate "C" not null     -- JSON list: path, container, port, strips_path
);
create index proxied_paths_account on proxied_paths (account_id);
