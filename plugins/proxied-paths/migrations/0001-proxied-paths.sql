create table proxied_paths (
  domain_id integer primary key,    -- of the domain, whose id no later one gets
  account_id integer not null references accounts (id) on delete cascade,
  value text not null               -- JSON list: path, container, port, strips_path
) strict;
create index proxied_paths_account on proxied_paths (account_id);
