-- The copies of the backups of this machine's accounts.
create table backup_copies (
  account_id integer primary key,
  done_at integer not null,         -- milliseconds since 1970; 0 until one was made
  name text,                        -- of the copy at the remote; null before the first
  copied_at integer,                -- milliseconds since 1970
  newest_at integer,                -- when the newest backup in it was made
  backups integer not null default 0,
  problem text                      -- why the last try failed
) strict;
-- All copies that this machine has made and not removed, also of accounts that are gone.
create table backup_copy_names (
  name text primary key,
  copied_at integer not null
) strict, without rowid;
-- Work that operators began, while it runs and for some days after.
create table backup_copy_tasks (
  id text primary key,
  account_id integer not null,
  kind text not null check (kind in ('copy', 'fetch')),
  path text not null,               -- the name of the copy; empty for the account's own
  process text not null,            -- the process that runs it
  state text not null check (state in ('running', 'done', 'failed', 'canceled')),
  files integer not null default 0, -- backups
  size_bytes integer not null default 0,
  left_out integer not null default 0,
  error text,
  detail text,
  created_at integer not null,      -- milliseconds since 1970
  ended_at integer
) strict, without rowid;
create index backup_copy_tasks_of_account on backup_copy_tasks (account_id, created_at);
