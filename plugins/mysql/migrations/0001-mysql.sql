create table mysql_changes (
  id integer primary key autoincrement,
  account_id integer not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('database', 'user', 'import', 'query', 'maintenance', 'password', 'access')),
  name text not null,
  host text not null,                 -- '' of a database
  change text not null check (change in ('create', 'drop')),
  about text not null,                -- JSON; see `Change`
  ip text not null,
  claimed_by text not null,           -- process that makes it, '' if none does any more
  unique (account_id, kind, name, host)
) strict;

create table mysql_locks (
  account_id integer primary key references accounts (id) on delete cascade,
  users text not null,                -- JSON: those that were open before the account was suspended
  is_done integer not null check (is_done in (0, 1))
) strict;

-- Accounts whose databases have reached the size of their plan.
create table mysql_stopped (
  account_id integer primary key references accounts (id) on delete cascade,
  is_done integer not null check (is_done in (0, 1)) -- whether all their users lack what makes databases grow
) strict;

-- What is taken from users meanwhile, from before it is revoked until after it is granted again.
create table mysql_withheld (
  account_id integer not null references accounts (id) on delete cascade,
  name text not null,
  host text not null,
  pattern text not null,              -- as in mysql.db
  privileges text not null,           -- JSON
  primary key (account_id, name, host, pattern)
) strict, without rowid;
