-- Long work on the files of accounts, while it runs and for some days after.
create table file_tasks (
  id text primary key,
  account_id integer not null,
  kind text not null,               -- of work of this plugin, or of one that has it do its work
  path text not null,               -- where its result is to be, as clients see it
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
create index file_tasks_of_account on file_tasks (account_id, created_at);

-- Links of downloads, by the hash of what the link ends with.
create table file_downloads (
  hash text primary key,
  account_id integer not null,
  request text not null,            -- JSON: what is downloaded
  expires_at integer not null       -- milliseconds since 1970
) strict, without rowid;
create index file_downloads_of_account on file_downloads (account_id);
