-- What brings back the accounts that this machine had, from their backups. Begun before an account is removed; it counts once it is purged.
create table removed_account_backups (
  id integer primary key,           -- that the account had; no account_id, because the row is to outlive it
  username text not null,
  removed_at integer not null,      -- milliseconds since 1970, as all times here
  purged_at integer,                -- null before its purge, which puts the repository aside
  newest_at integer not null,       -- when its newest backup was made
  size_bytes integer not null,      -- of the repository
  sealed text not null,             -- what it was, and what makes its backups those of another account
  is_restoring integer not null default 0 check (is_restoring in (0, 1)),
  made_id integer                   -- of the account that is being made of it
) strict;
-- Work that operators began, while it runs and for some days after.
create table removed_account_tasks (
  id text primary key,
  account_id integer not null,      -- that the removed account had
  kind text not null check (kind = 'restore'),
  path text not null,               -- the name of the account that is made
  process text not null,            -- the process that runs it
  state text not null check (state in ('running', 'done', 'failed', 'canceled')),
  files integer not null default 0,
  size_bytes integer not null default 0,
  left_out integer not null default 0,
  error text,
  detail text,
  created_at integer not null,
  ended_at integer
) strict, without rowid;
create index removed_account_tasks_of_account on removed_account_tasks (account_id, created_at);
