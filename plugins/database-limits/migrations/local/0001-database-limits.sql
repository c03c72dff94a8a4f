-- How near each account was to the size of its plan when it was told.
create table database_limit_notices (
  account_id integer not null,
  resource text not null,
  percent integer not null,
  primary key (account_id, resource)
) strict, without rowid;
