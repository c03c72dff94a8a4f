-- The newest measurement of folders that took long: the answer while they are measured again.
create table quota_largest (
  account_id integer not null,
  path text not null,               -- below the files root
  measured text not null,           -- JSON: the folder, and the largest folders in it
  at integer not null,              -- milliseconds since 1970
  primary key (account_id, path)
) strict, without rowid;
