-- The backups in the repositories of this machine. One that is not listed here does not count.
create table backups (
  id text primary key,              -- of the snapshot in the repository
  account_id integer not null,
  created_at integer not null,      -- milliseconds since 1970
  files integer not null,
  size_bytes integer not null,      -- of all files
  added_bytes integer not null,     -- that the repository grew by
  left_out integer not null,        -- files that could not be read
  is_scheduled integer not null check (is_scheduled in (0, 1))
) strict, without rowid;
create index backups_of_account on backups (account_id, created_at);
-- The databases of the backups of this machine.
create table backup_databases (
  backup_id text not null references backups (id) on delete cascade,
  account_id integer not null,
  engine text not null,
  name text not null,               -- empty for all that the engine has, whose names could not be read
  snapshot text,                    -- null for one that is not in the backup
  size_bytes integer not null,      -- of the dump
  problem text,                     -- why it is not in the backup
  primary key (backup_id, engine, name)
) strict, without rowid;
create index backup_databases_of_account on backup_databases (account_id);
-- What the repositories of this machine take, as of the last change.
create table backup_repositories (
  account_id integer primary key,
  size_bytes integer not null
) strict;
-- Long work on backups, while it runs and for some days after.
create table backup_tasks (
  id text primary key,
  account_id integer not null,
  kind text not null check (kind in ('backup', 'restore', 'clean')),
  path text not null,               -- what is restored, as clients see it
  process text not null,            -- the process that runs it
  state text not null check (state in ('running', 'done', 'failed', 'canceled')),
  files integer not null default 0,
  size_bytes integer not null default 0,
  left_out integer not null default 0,
  error text,
  detail text,
  created_at integer not null,      -- milliseconds since 1970
  ended_at integer
) strict, without rowid;
create index backup_tasks_of_account on backup_tasks (account_id, created_at);
