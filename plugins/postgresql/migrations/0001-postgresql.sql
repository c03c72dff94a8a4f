create table postgresql_items (        -- databases and database users
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  server text not null,
  kind text not null check (kind in ('database', 'user')),
  name text not null,
  is_made integer not null check (is_made in (0, 1)),
  is_locked integer not null default 0 check (is_locked in (0, 1)), -- with its account
  change text not null,                -- JSON of a change in progress, '' if there is none; see `Change`
  claimed_by text not null default '', -- process that makes the change, '' if none does any more
  unique (server, kind, name)
) strict;
create index postgresql_items_of_account on postgresql_items (account_id, kind);

create table postgresql_stopped (      -- accounts whose databases have reached the size of their plan
  account_id integer primary key references accounts (id) on delete cascade,
  stage text not null check (stage in ('read_only', 'closed')), -- whether they can be read and emptied, or nobody connects
  least_bytes integer not null,         -- the least size since
  end_before text not null          -- sessions that began before may write, by the server's clock; '' until all databases are as the stage says
) strict;
