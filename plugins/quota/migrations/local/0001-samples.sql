-- The newest measurement of each account, where the kernel counts nothing: operators read it for all accounts at once.
create table quota_samples (
  account_id integer primary key,
  bytes integer not null,
  inodes integer not null,
  at integer not null               -- milliseconds since 1970
) strict;
