create table services_on (
  account_id bigint not null references accounts (id) on delete cascade,
  service text collate "C" not null,  -- the name of its recipe
  primary key (account_id, service)
);
