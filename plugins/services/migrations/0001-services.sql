create table services_on (
  account_id integer not null references accounts (id) on delete cascade,
  service text not null,    -- the name of its recipe
  primary key (account_id, service)
) strict, without rowid;
