-- How often each account had met a limit when it was last looked at, and when it was last told.
create table resource_hits (
  account_id integer not null,
  resource text not null,
  count integer not null,             -- by the kernel, since the account's group was made
  told_at integer not null,           -- milliseconds since 1970; 0 = never
  primary key (account_id, resource)
) strict, without rowid;
