-- The newest measurement of each account, where the kernel counts nothing: operators read it for all accounts at once.
create table quota_samples (
  account_id integer primary key,
  bytes integer not null,
  inodes integer not null,
  at integer not null               -- milliseconds since 1970
) strict;

-- How near each account was to its limits when it was told.
create table quota_notices (
  account_id integer not null,
  resource text not null,
  percent integer not null,
  primary key (account_id, resource)
) strict, without rowid;

-- The newest measurement of folders that took long: the answer while they are measured again.
create table quota_largest (
  account_id integer not null,
  path text not null,               -- below the files root
  measured text not null,           -- JSON: the folder, and the largest folders in it
  at integer not null,              -- milliseconds since 1970
  primary key (account_id, path)
) strict, without rowid;
