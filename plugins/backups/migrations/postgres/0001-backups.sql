create table backup_keys (
  account_id bigint primary key references accounts (id) on delete cascade,
  sealed text collate "C" not null              -- what opens the repository of the account
);
create table backup_schedules (
  account_id bigint primary key references accounts (id) on delete cascade,
  schedule text collate "C" not null check (schedule in ('plan', 'off', 'daily', 'weekly')),
  weekday bigint not null check (weekday between 0 and 6),     -- of a weekly one; 0 = Sunday
  hour bigint not null check (hour between 0 and 23),          -- of the node's time
  kept bigint not null,            -- backups that the customer wants; 0 = as many as the plan allows
  tried_at bigint not null         -- when a backup was last begun by it, or the account was first met, in milliseconds since 1970
);
