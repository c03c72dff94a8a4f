-- Other plugins begin long work on files, too: which kinds there are, the table no longer says.
alter table file_tasks rename to file_tasks_before;
create table file_tasks (
  id text primary key,
  account_id integer not null,
  kind text not null,
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
insert into file_tasks select * from file_tasks_before;
drop table file_tasks_before;
create index file_tasks_of_account on file_tasks (account_id, created_at);
