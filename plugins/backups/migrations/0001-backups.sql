create table backup_keys (
  account_id integer primary key references accounts (id) on delete cascade,
  sealed text not null              -- what opens the repository of the account
) strict;
create table backup_schedules (
  account_id integer primary key references accounts (id) on delete cascade,
  schedule text not null check (schedule in ('plan', 'off', 'daily', 'weekly')),
  weekday integer not null check (weekday between 0 and 6),     -- of a weekly one; 0 = Sunday
  hour integer not null check (hour between 0 and 23),          -- of the node's time
  kept integer not null,            -- backups that the customer wants; 0 = as many as the plan allows
  tried_at integer not null         -- when a backup was last begun by it, or the account was first met, in milliseconds since 1970
) strict;
