-- What came of the last check of the backups of accounts.
create table backup_checks (
  account_id integer primary key,
  done_at integer not null,         -- milliseconds since 1970; 0 until it has been kept
  checked_at integer,               -- null for an account that had no backups
  problem text                      -- why they could not be read
) strict;
